import { useMemo } from "react";

import { AsyncPreview } from "../PreviewState";
import Code from "./Code";
import { countTags } from "./countTags";
import { toSandboxedDocument } from "./sandboxedHtml";
import type { ViewerProps } from "./types";
import { useFileText } from "./useFileContent";

const MAX_BYTES = 8 << 20;
const SCRIPT = /<script\b/i;
/** Above this, the sanitizer would block the page. */
const MAX_TAGS = 5_000;

/** HTML in a frame without scripts, forms, requests or navigation. If it is too large, its source. */
export default function Html({ item }: ViewerProps) {
  const state = useFileText(item, MAX_BYTES);
  return (
    <AsyncPreview item={item} state={state}>
      {({ text, isComplete }) =>
        isComplete && countTags(text, MAX_TAGS) <= MAX_TAGS ? (
          <>
            {SCRIPT.test(text) && (
              <p className="viewer-note">Scripts of this page were left out. Download it to see it with its scripts.</p>
            )}
            <SandboxedFrame title={item.title} html={text} />
          </>
        ) : (
          <Code item={item} />
        )
      }
    </AsyncPreview>
  );
}

function SandboxedFrame({ title, html }: { title: string; html: string }) {
  const source = useMemo(() => toSandboxedDocument(html), [html]);
  return <iframe className="viewer-frame" title={title} sandbox="" srcDoc={source} referrerPolicy="no-referrer" />;
}
