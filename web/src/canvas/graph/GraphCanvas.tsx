import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState, type WheelEvent } from "react";
import { onThemeChange } from "../../app/theme";
import { texts } from "../../texts";
import { drawGraph } from "./drawGraph";
import type { Graph } from "./graph";
import type { Kind } from "./kinds";
import { findNearestNode, fitViewport, type Viewport, zoom } from "./viewport";

const CLICK_RADIUS_PX = 16;
const DRAG_THRESHOLD_PX = 4;
const PAN_STEP_PX = 40;
const ZOOM_FACTOR = 1.25;

interface GraphCanvasProps {
  title: string;
  graph: Graph;
  kinds: readonly Kind[];
  /** Edges as pairs of node indexes. */
  links: readonly [number, number][];
  /** x and y of each node in turn. */
  positions: Float64Array;
  /** Index of the selected node; -1 for none. */
  selected: number;
  highlighted: ReadonlySet<number>;
  onSelect(node: number): void;
}

/** Interactive drawing of a graph: drag or arrow keys to pan, wheel or +/- to zoom, click to select a node. */
export function GraphCanvas({ title, graph, kinds, links, positions, selected, highlighted, onSelect }: GraphCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [changedViewport, setViewport] = useState<Viewport | null>(null);
  const drag = useRef<{ x: number; y: number; hasMoved: boolean } | null>(null);
  const viewport = changedViewport ?? fitViewport(positions, size.width, size.height);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const [, setThemeChanges] = useState(0);
  useEffect(() => onThemeChange(() => setThemeChanges((count) => count + 1)), []); // the drawing has the colors of the theme
  useEffect(() => {
    if (!canvas.current || size.width === 0) return;
    canvas.current.width = size.width * devicePixelRatio;
    canvas.current.height = size.height * devicePixelRatio;
    drawGraph(canvas.current, devicePixelRatio, { graph, kinds, links, positions, viewport, selected, highlighted });
  });
  useEffect(() => {
    if (selected >= 0) setViewport((before) => centerOn(before ?? viewport, positions, selected));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- center once, when the selection changes
  }, [selected]);
  const offsetFromCenter = (event: PointerEvent | WheelEvent): [number, number] => {
    const box = event.currentTarget.getBoundingClientRect();
    return [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
  };
  const onPointerDown = (event: PointerEvent<HTMLCanvasElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, y: event.clientY, hasMoved: false };
  };
  const onPointerMove = (event: PointerEvent) => {
    const last = drag.current;
    if (!last) return;
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    if (!last.hasMoved && Math.hypot(dx, dy) < DRAG_THRESHOLD_PX) return;
    drag.current = { x: event.clientX, y: event.clientY, hasMoved: true };
    setViewport({ ...viewport, x: viewport.x - dx / viewport.scale, y: viewport.y - dy / viewport.scale });
  };
  const onPointerUp = (event: PointerEvent) => {
    if (drag.current && !drag.current.hasMoved) {
      onSelect(findNearestNode(positions, viewport, ...offsetFromCenter(event), CLICK_RADIUS_PX));
    }
    drag.current = null;
  };
  const onWheel = (event: WheelEvent) =>
    setViewport(zoom(viewport, event.deltaY < 0 ? ZOOM_FACTOR : 1 / ZOOM_FACTOR, ...offsetFromCenter(event)));
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moveByKey(viewport, event.key);
    if (!next) return;
    event.preventDefault();
    setViewport(next);
  };
  return (
    <div className="graph-frame">
      <canvas
        ref={canvas}
        className="graph-canvas"
        tabIndex={0}
        role="img"
        aria-label={texts.graph.canvas(title, graph.nodes.length, graph.edges.length)}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onWheel={onWheel}
        onKeyDown={onKeyDown}
      />
      <div className="graph-buttons">
        <button type="button" aria-label={texts.graph.zoomIn} onClick={() => setViewport(zoom(viewport, ZOOM_FACTOR, 0, 0))}>
          +
        </button>
        <button type="button" aria-label={texts.graph.zoomOut} onClick={() => setViewport(zoom(viewport, 1 / ZOOM_FACTOR, 0, 0))}>
          −
        </button>
        <button type="button" onClick={() => setViewport(null)}>
          {texts.graph.fit}
        </button>
      </div>
    </div>
  );
}

function centerOn(viewport: Viewport, positions: Float64Array, node: number): Viewport {
  return { ...viewport, x: positions[node * 2] ?? viewport.x, y: positions[node * 2 + 1] ?? viewport.y };
}

/** Return the viewport after a pan or zoom key; null for other keys. */
function moveByKey(viewport: Viewport, key: string): Viewport | null {
  const step = PAN_STEP_PX / viewport.scale;
  const pan = (x: number, y: number) => ({ ...viewport, x: viewport.x + x * step, y: viewport.y + y * step });
  switch (key) {
    case "ArrowLeft":
      return pan(-1, 0);
    case "ArrowRight":
      return pan(1, 0);
    case "ArrowUp":
      return pan(0, -1);
    case "ArrowDown":
      return pan(0, 1);
    case "+":
    case "=":
      return zoom(viewport, ZOOM_FACTOR, 0, 0);
    case "-":
      return zoom(viewport, 1 / ZOOM_FACTOR, 0, 0);
    default:
      return null;
  }
}
