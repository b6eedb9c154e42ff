import { memo, useEffect, useMemo, useRef, useState } from "react";
import { texts } from "../../texts";

import { formatSize } from "../../shared/format";
import { enrichMarkdown } from "../../shared/enrichMarkdown";
import { useMarkdownButtons } from "../../shared/Markdown";
import { sanitizeHtml } from "../../shared/renderMarkdown";
import { AsyncPreview, TruncationNote } from "../PreviewState";
import Code from "./Code";
import { countTags } from "./countTags";
import type { Block, FromWorker } from "./markdown.worker";
import type { ViewerProps } from "./types";
import { type FileText, useFileText } from "./useFileContent";

const MAX_BYTES = 256 << 10;
const PARSE_TIMEOUT_MS = 3_000;
/** Blocks rendered at a time, and tags in a block that is rendered at all: both keep the page responsive. */
const BATCH_SIZE = 20;
const MAX_TAGS_PER_BLOCK = 1_000;

/** Rendered, sanitized Markdown. If parsing fails or takes too long, the source is shown. */
export default function Markdown({ item }: ViewerProps) {
  const state = useFileText(item, MAX_BYTES);
  const [failed, setFailed] = useState(false);
  if (failed) return <Code item={item} />;
  return (
    <AsyncPreview item={item} state={state}>
      {(text) => (
        <>
          {isTruncated(text) && (
            <TruncationNote item={item} shown={`the first ${formatSize(MAX_BYTES)} of ${formatSize(item.size)}`} />
          )}
          <Blocks title={item.title} text={text.text.slice(0, MAX_BYTES)} onError={() => setFailed(true)} />
        </>
      )}
    </AsyncPreview>
  );
}

/** Inline content is complete, but may be longer than the maximum. */
function isTruncated({ text, isComplete }: FileText): boolean {
  return !isComplete || text.length > MAX_BYTES;
}

function Blocks({ title, text, onError }: { title: string; text: string; onError(): void }) {
  const [blocks, setBlocks] = useState<Block[] | null>(null);
  const [renderedCount, setRenderedCount] = useState(BATCH_SIZE);
  useEffect(() => parse(text, setBlocks, onError), [text]);
  useEffect(() => {
    if (!blocks || renderedCount >= blocks.length) return;
    const timer = setTimeout(() => setRenderedCount(renderedCount + BATCH_SIZE));
    return () => clearTimeout(timer);
  }, [blocks, renderedCount]);
  const element = useMarkdownButtons<HTMLElement>(undefined, blocks !== null);
  if (!blocks) return <p className="viewer-message">{texts.app.loading}</p>;
  return (
    <article ref={element} className="viewer-page markdown" tabIndex={0} aria-label={title}>
      {blocks.slice(0, renderedCount).map((block, index) => (
        <BlockView key={index} {...block} />
      ))}
    </article>
  );
}

const BlockView = memo(({ html, source }: Block) => {
  const safeHtml = useMemo(() => (countTags(html, MAX_TAGS_PER_BLOCK) > MAX_TAGS_PER_BLOCK ? null : sanitizeHtml(html)), [html]);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => (element.current ? enrichMarkdown(element.current) : undefined), [safeHtml]);
  if (safeHtml === null) return <pre>{source}</pre>;
  return <div ref={element} className="markdown-block" dangerouslySetInnerHTML={{ __html: safeHtml }} />;
});

/** Parse Markdown in a worker, within a time limit, which starts when the worker has loaded. Return a function that cancels it. */
function parse(text: string, onParsed: (blocks: Block[]) => void, onError: () => void): () => void {
  const worker = new Worker(new URL("./markdown.worker.ts", import.meta.url), { type: "module" });
  const stop = () => {
    clearTimeout(timer);
    worker.terminate();
  };
  const fail = () => {
    stop();
    onError();
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  worker.onerror = fail;
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data === "ready") {
      timer = setTimeout(fail, PARSE_TIMEOUT_MS);
      worker.postMessage(text);
    } else {
      stop();
      onParsed(data);
    }
  };
  return stop;
}
