import { useEffect, useState } from "react";

import { size } from "../../shared/format";
import { Rows } from "../Rows";
import { CutNote, Shown } from "../Shown";
import type { ViewerProps } from ".";
import { type Prepared, prepare } from "./code";
import { languageOf } from "./languages";
import { type Text, useText } from "./useFile";

const MOST_BYTES = 1 << 20;
const LINE_HEIGHT = 20;

/** Text and code, coloured where it is short; of a long one the beginning. */
export default function Code({ item }: ViewerProps) {
  const loaded = useText(item, MOST_BYTES);
  return (
    <Shown item={item} loaded={loaded}>
      {(text) => (
        <>
          {!text.whole && <CutNote item={item} shown={`The first ${size(MOST_BYTES)}`} />}
          <Lines title={item.title} text={text} language={languageOf(item)} />
        </>
      )}
    </Shown>
  );
}

/** A worker cuts and colours it: until it has, nothing is shown. */
function Lines({ title, text, language }: { title: string; text: Text; language: string | null }) {
  const [prepared, setPrepared] = useState<Prepared>();
  useEffect(() => prepare(text.text, text.whole ? language : null, setPrepared), [text, language]);
  if (!prepared) return <p className="viewer-note">Loading…</p>;
  if (prepared.kind === "coloured") {
    return (
      <section className="viewer-code" tabIndex={0} aria-label={title}>
        {/* Safe: the highlighter escapes the text, and makes nothing but spans. */}
        <pre>
          <code dangerouslySetInnerHTML={{ __html: prepared.html }} />
        </pre>
      </section>
    );
  }
  return (
    <Rows className="viewer-code" label={title} count={prepared.lines.length} rowHeight={LINE_HEIGHT}>
      {(from, to) => <pre>{prepared.lines.slice(from, to).join("\n")}</pre>}
    </Rows>
  );
}
