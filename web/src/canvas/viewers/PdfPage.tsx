import { type RefObject, useEffect, useRef, useState } from "react";

import { texts } from "../../texts";
import { type PdfDocument, TextLayer } from "./openPdf";
import { findRanges, highlight } from "./textMatches";

const A4_RATIO = 297 / 210;
const PRELOAD_MARGIN = "400px";
const MAX_PIXEL_RATIO = 2;
/** Larger canvases need too much memory on phones. */
const MAX_PIXELS = 16 << 20;

interface PdfPageProps {
  document: PdfDocument;
  number: number;
  /** CSS pixels. */
  width: number;
  /** Matches of this text are highlighted. */
  query: string;
  /** Number of the match that is scrolled into view; null for none. */
  current: number | null;
}

/** Page that is rendered only while it is in or near the view. Its text can be selected and read by screen readers. */
export function PdfPage({ document, number, width, query, current }: PdfPageProps) {
  const container = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const [ratio, setRatio] = useState(A4_RATIO);
  const [textCount, setTextCount] = useState(0);
  const isNear = useIsNear(container);
  useEffect(() => {
    if (!isNear || !canvas.current || !layer.current) return;
    const onText = (): void => setTextCount((count) => count + 1);
    return renderPage({ document, number, width, canvas: canvas.current, layer: layer.current, setRatio, onText });
  }, [document, number, width, isNear]);
  useMatches(layer, query, current, `${textCount}/${isNear}`);
  return (
    <div className="pdf-page" ref={container} style={{ width, height: width * ratio }}>
      {isNear && (
        <>
          <canvas ref={canvas} role="img" aria-label={texts.pdf.pageLabel(number)} />
          <div ref={layer} className="pdf-text" />
        </>
      )}
    </div>
  );
}

/** Highlight the matches in the text of a page. `textKey` changes with the text. */
function useMatches(layer: RefObject<HTMLElement | null>, query: string, current: number | null, textKey: string): void {
  useEffect(() => {
    if (!layer.current) return;
    const ranges = findRanges(layer.current, query);
    const shown = current === null ? undefined : ranges[current];
    shown?.startContainer.parentElement?.scrollIntoView({ block: "center", inline: "nearest" });
    const ends = [highlight("found", ranges), highlight("found-current", shown ? [shown] : [])];
    return () => ends.forEach((end) => end());
  }, [layer, query, current, textKey]);
}

/** Return true while an element is in or near the view. */
function useIsNear(container: RefObject<HTMLElement | null>): boolean {
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

interface Rendering {
  document: PdfDocument;
  number: number;
  width: number;
  canvas: HTMLCanvasElement;
  layer: HTMLElement;
  setRatio(ratio: number): void;
  /** Called when the text is in the layer. */
  onText(): void;
}

/** Render a page and its text. Return a function that cancels it. */
function renderPage({ document, number, width, canvas, layer, setRatio, onText }: Rendering): () => void {
  let cancelRendering: (() => void) | undefined;
  let cancelled = false;
  const render = async () => {
    const page = await document.getPage(number);
    const natural = page.getViewport({ scale: 1 });
    if (cancelled) return;
    setRatio(natural.height / natural.width);
    const scale = width / natural.width;
    const task = page.render({ canvas, viewport: fitCanvas(canvas, page, scale) });
    cancelRendering = () => task.cancel();
    const textContentSource = await page.getTextContent();
    if (cancelled) return;
    layer.replaceChildren();
    layer.style.setProperty("--total-scale-factor", String(scale));
    await new TextLayer({ textContentSource, container: layer, viewport: page.getViewport({ scale }) }).render();
    if (!cancelled) onText();
    await task.promise;
  };
  // A damaged page stays blank, as in other PDF viewers; cancellation also rejects.
  render().catch(() => undefined);
  return () => {
    cancelled = true;
    cancelRendering?.();
  };
}

type Page = Awaited<ReturnType<PdfDocument["getPage"]>>;
type Viewport = ReturnType<Page["getViewport"]>;

/** Set the pixels of a canvas for a page at a scale, and return the viewport with as many. */
function fitCanvas(canvas: HTMLCanvasElement, page: Page, scale: number): Viewport {
  const natural = page.getViewport({ scale: 1 });
  const maxRatio = Math.sqrt(MAX_PIXELS / (natural.width * natural.height * scale ** 2));
  const viewport = page.getViewport({ scale: scale * Math.min(devicePixelRatio, MAX_PIXEL_RATIO, maxRatio) });
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  const context = canvas.getContext("2d", { alpha: false }); // as pdf.js asks for it; opaque ones are black at first
  if (context) {
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  return viewport;
}
