import { useEffect, useRef, useState } from "react";

import type { PdfDocument } from "./openPdf";

const A4_RATIO = 297 / 210;
const PRELOAD_MARGIN = "400px";
const MAX_PIXEL_RATIO = 2;

/** Page that is rendered only while it is in or near the view. Its text is available to screen readers. */
export function PdfPage({ document, number }: { document: PdfDocument; number: number }) {
  const container = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [ratio, setRatio] = useState(A4_RATIO);
  const [text, setText] = useState("");
  const isNear = useIsNear(container);
  useEffect(() => {
    if (!isNear || !canvas.current) return;
    return renderPage(document, number, canvas.current, setRatio, setText);
  }, [document, number, isNear]);
  return (
    <div className="pdf-page" ref={container} style={{ aspectRatio: `1 / ${ratio}` }}>
      {isNear && <canvas ref={canvas} role="img" aria-label={`Page ${number}`} />}
      <p className="visually-hidden">{text}</p>
    </div>
  );
}

/** Return true while an element is in or near the view. */
function useIsNear(container: React.RefObject<HTMLElement | null>): boolean {
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const onChange: IntersectionObserverCallback = (entries) => setIsNear(entries.at(-1)?.isIntersecting ?? false);
    const observer = new IntersectionObserver(onChange, { rootMargin: PRELOAD_MARGIN });
    observer.observe(element);
    return () => observer.disconnect();
  }, [container]);
  return isNear;
}

/** Render a page at the width of the canvas. Return a function that cancels it. */
function renderPage(
  document: PdfDocument,
  number: number,
  canvas: HTMLCanvasElement,
  setRatio: (ratio: number) => void,
  setText: (text: string) => void,
): () => void {
  let cancelRendering: (() => void) | undefined;
  let cancelled = false;
  const render = async () => {
    const page = await document.getPage(number);
    const natural = page.getViewport({ scale: 1 });
    if (cancelled) return;
    setRatio(natural.height / natural.width);
    const pixelRatio = Math.min(devicePixelRatio, MAX_PIXEL_RATIO);
    const viewport = page.getViewport({ scale: (canvas.clientWidth * pixelRatio) / natural.width });
    canvas.width = Math.floor(viewport.width);
    canvas.height = Math.floor(viewport.height);
    const task = page.render({ canvas, viewport });
    cancelRendering = () => task.cancel();
    const content = await page.getTextContent();
    if (!cancelled) setText(content.items.map((item) => ("str" in item ? item.str : "")).join(" "));
    await task.promise;
  };
  // A damaged page stays blank, as in other PDF viewers; cancellation also rejects.
  render().catch(() => undefined);
  return () => {
    cancelled = true;
    cancelRendering?.();
  };
}
