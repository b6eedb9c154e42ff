import { useEffect, useRef, useState } from "react";

import type { PdfDocument } from "./pdf";

const A4 = 297 / 210;
const LOOKED_AHEAD = "400px";
const MOST_DENSITY = 2;

/** A page: drawn while it is in sight or close to it, given up when it is not. Its text is there for those who listen. */
export function PdfPage({ document, number }: { document: PdfDocument; number: number }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [ratio, setRatio] = useState(A4);
  const [text, setText] = useState("");
  const near = useIsNear(box);
  useEffect(() => {
    if (!near || !canvas.current) return;
    return draw(document, number, canvas.current, setRatio, setText);
  }, [document, number, near]);
  return (
    <div className="pdf-page" ref={box} style={{ aspectRatio: `1 / ${ratio}` }}>
      {near && <canvas ref={canvas} role="img" aria-label={`Page ${number}`} />}
      <p className="unseen">{text}</p>
    </div>
  );
}

function useIsNear(box: React.RefObject<HTMLElement | null>): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const told: IntersectionObserverCallback = (entries) => setNear(entries.at(-1)?.isIntersecting ?? false);
    const watcher = new IntersectionObserver(told, { rootMargin: LOOKED_AHEAD });
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [box]);
  return near;
}

/** Draw a page as wide as its place; returns what gives it up. */
function draw(
  document: PdfDocument,
  number: number,
  canvas: HTMLCanvasElement,
  setRatio: (ratio: number) => void,
  setText: (text: string) => void,
): () => void {
  let cancel: (() => void) | undefined;
  let wanted = true;
  const work = async () => {
    const page = await document.getPage(number);
    const natural = page.getViewport({ scale: 1 });
    if (!wanted) return;
    setRatio(natural.height / natural.width);
    const density = Math.min(devicePixelRatio, MOST_DENSITY);
    const viewport = page.getViewport({ scale: (canvas.clientWidth * density) / natural.width });
    canvas.width = Math.floor(viewport.width);
    canvas.height = Math.floor(viewport.height);
    const task = page.render({ canvas, viewport });
    cancel = () => task.cancel();
    const content = await page.getTextContent();
    if (wanted) setText(content.items.map((item) => ("str" in item ? item.str : "")).join(" "));
    await task.promise;
  };
  // A page that cannot be drawn stays white, as in other viewers; one that was given up is no news.
  work().catch(() => undefined);
  return () => {
    wanted = false;
    cancel?.();
  };
}
