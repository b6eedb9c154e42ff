import { useEffect, useState } from "react";
import { texts } from "../../texts";

import { formatSize } from "../../shared/format";
import { AsyncPreview, TruncationNote } from "../PreviewState";
import { VirtualList } from "../VirtualList";
import type { PreparedText } from "./code.worker";
import { detectLanguage } from "./languages";
import type { ViewerProps } from "./types";
import { type FileText, useFileText } from "./useFileContent";

const MAX_BYTES = 1 << 20;
const LINE_HEIGHT = 20;

/** Text and code: highlighted if short; a long file is truncated. */
export default function Code({ item }: ViewerProps) {
  const state = useFileText(item, MAX_BYTES);
  return (
    <AsyncPreview item={item} state={state}>
      {(text) => (
        <>
          {!text.isComplete && (
            <TruncationNote item={item} shown={`the first ${formatSize(MAX_BYTES)} of ${formatSize(item.size)}`} />
          )}
          <Lines title={item.title} text={text} language={detectLanguage(item)} />
        </>
      )}
    </AsyncPreview>
  );
}

function Lines({ title, text, language }: { title: string; text: FileText; language: string | null }) {
  const [prepared, setPrepared] = useState<PreparedText>();
  useEffect(() => prepareText(text.text, text.isComplete ? language : null, setPrepared), [text, language]);
  if (!prepared) return <p className="viewer-message">{texts.app.loading}</p>;
  if (prepared.kind === "highlighted") {
    return (
      <section className="viewer-code" tabIndex={0} aria-label={title}>
        {/* Safe: the highlighter escapes the text and adds only span elements. */}
        <pre>
          <code dangerouslySetInnerHTML={{ __html: prepared.html }} />
        </pre>
      </section>
    );
  }
  return (
    <VirtualList className="viewer-code" label={title} count={prepared.lines.length} rowHeight={LINE_HEIGHT}>
      {(from, to) => <pre>{prepared.lines.slice(from, to).join("\n")}</pre>}
    </VirtualList>
  );
}

/** Prepare a text in a worker. Return a function that cancels it. */
function prepareText(text: string, language: string | null, onPrepared: (prepared: PreparedText) => void): () => void {
  const worker = new Worker(new URL("./code.worker.ts", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<PreparedText>) => {
    worker.terminate();
    onPrepared(data);
  };
  worker.onerror = () => onPrepared({ kind: "lines", lines: text.split("\n") }); // show it without highlighting
  worker.postMessage({ text, language });
  return () => worker.terminate();
}
