import { useMemo, useState } from "react";
import { texts } from "../../texts";

import type { Item } from "../item";
import { AsyncPreview } from "../PreviewState";
import Code from "./Code";
import { countTags } from "./countTags";
import { SandboxedFrame } from "./SandboxedFrame";
import { ScriptedFrame } from "./ScriptedFrame";
import type { ViewerProps } from "./types";
import { useFileText } from "./useFileContent";

const MAX_BYTES = 8 << 20;
const SCRIPT = /<script\b/i;
/** Above this, the sanitizer would block the page. */
const MAX_TAGS = 5_000;

/** HTML in a frame without scripts, forms, requests or navigation. If it is too large or nested too deeply, its source. */
export default function Html({ item }: ViewerProps) {
  const state = useFileText(item, MAX_BYTES);
  return (
    <AsyncPreview item={item} state={state}>
      {({ text, isComplete }) => (isComplete ? <Page item={item} html={text} /> : <Code item={item} />)}
    </AsyncPreview>
  );
}

function Page({ item, html }: { item: Item; html: string }) {
  const [runs, setRuns] = useState(false);
  const hasScripts = useMemo(() => SCRIPT.test(html), [html]);
  const isTooLarge = useMemo(() => countTags(html, MAX_TAGS) > MAX_TAGS, [html]);
  return (
    <>
      {hasScripts && (
        <div className="viewer-toolbar" role="note">
          <span className="faint">{runs ? texts.viewers.scriptsRun : texts.viewers.scriptsLeftOut}</span>
          <button type="button" aria-pressed={runs} onClick={() => setRuns(!runs)}>
            {runs ? texts.viewers.stopScripts : texts.viewers.runScripts}
          </button>
        </div>
      )}
      {runs ? (
        <ScriptedFrame item={item} html={html} />
      ) : isTooLarge ? (
        <Code item={item} />
      ) : (
        <SandboxedFrame item={item} html={html} otherwise={<Code item={item} />} />
      )}
    </>
  );
}
