import { memo, useEffect, useMemo, useState } from "react";

import { size } from "../../shared/format";
import { safeHtml } from "../../shared/markdown";
import { CutNote, Shown } from "../Shown";
import type { ViewerProps } from ".";
import Code from "./Code";
import type { Block } from "./markdown.worker";
import { countTags } from "./tags";
import { type Text, useText } from "./useFile";

const MOST_BYTES = 256 << 10;
const PATIENCE_MS = 3_000;
/** Blocks that are drawn at a time, and how long a block may be to be drawn at all: neither may hold the page up. */
const AT_A_TIME = 20;
const MOST_TAGS = 1_000;

/** Markdown as it is meant, sanitised; what cannot be read in time is shown as it was written. */
export default function Markdown({ item }: ViewerProps) {
  const loaded = useText(item, MOST_BYTES);
  const [unreadable, setUnreadable] = useState(false);
  if (unreadable) return <Code item={item} />;
  return (
    <Shown item={item} loaded={loaded}>
      {(text) => (
        <>
          {!isWhole(text) && <CutNote item={item} shown={`The first ${size(MOST_BYTES)}`} />}
          <Blocks title={item.title} text={text.text.slice(0, MOST_BYTES)} onUnreadable={() => setUnreadable(true)} />
        </>
      )}
    </Shown>
  );
}

/** A text that came with the answer is whole, and may be long all the same. */
function isWhole({ text, whole }: Text): boolean {
  return whole && text.length <= MOST_BYTES;
}

function Blocks({ title, text, onUnreadable }: { title: string; text: string; onUnreadable(): void }) {
  const [blocks, setBlocks] = useState<Block[] | null>(null);
  const [shown, setShown] = useState(AT_A_TIME);
  useEffect(() => read(text, setBlocks, onUnreadable), [text]);
  useEffect(() => {
    if (!blocks || shown >= blocks.length) return;
    const timer = setTimeout(() => setShown(shown + AT_A_TIME));
    return () => clearTimeout(timer);
  }, [blocks, shown]);
  if (!blocks) return <p className="viewer-note">Loading…</p>;
  return (
    <article className="viewer-page markdown" tabIndex={0} aria-label={title}>
      {blocks.slice(0, shown).map((block, at) => (
        <Rendered key={at} {...block} />
      ))}
    </article>
  );
}

const Rendered = memo(({ html, source }: Block) => {
  const safe = useMemo(() => (countTags(html, MOST_TAGS) > MOST_TAGS ? null : safeHtml(html)), [html]);
  if (safe === null) return <pre>{source}</pre>;
  // Safe: it has gone through the sanitiser.
  return <div className="markdown-block" dangerouslySetInnerHTML={{ __html: safe }} />;
});

function read(text: string, done: (blocks: Block[]) => void, failed: () => void): () => void {
  const worker = new Worker(new URL("./markdown.worker.ts", import.meta.url), { type: "module" });
  const end = () => {
    clearTimeout(timer);
    worker.terminate();
  };
  const giveUp = () => {
    end();
    failed();
  };
  const timer = setTimeout(giveUp, PATIENCE_MS);
  worker.onerror = giveUp;
  worker.onmessage = ({ data }: MessageEvent<Block[]>) => {
    end();
    done(data);
  };
  worker.postMessage(text);
  return end;
}
