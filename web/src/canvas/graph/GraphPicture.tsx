import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState, type WheelEvent } from "react";

import type { Graph } from "./graph";
import { paint } from "./paint";
import { fitting, nearest, type View, zoomed } from "./view";

const REACH = 16;
const STEP = 40;
const NEARER = 1.25;

interface GraphPictureProps {
  title: string;
  graph: Graph;
  links: readonly [number, number][];
  places: Float64Array;
  chosen: number;
  marked: ReadonlySet<number>;
  onChoose(node: number): void;
}

/** The graph drawn: dragged, brought nearer by wheel or keys; a node is chosen by a click. */
export function GraphPicture({ title, graph, links, places, chosen, marked, onChoose }: GraphPictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [moved, setView] = useState<View | null>(null);
  const dragged = useRef<{ x: number; y: number; far: boolean } | null>(null);
  const view = moved ?? fitting(places, size.width, size.height);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  useEffect(() => {
    if (!canvas.current || size.width === 0) return;
    canvas.current.width = size.width * devicePixelRatio;
    canvas.current.height = size.height * devicePixelRatio;
    paint(canvas.current, devicePixelRatio, { graph, links, places, view, chosen, marked });
  });
  useEffect(() => {
    if (chosen >= 0) setView((before) => centred(before ?? view, places, chosen));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a node comes to the middle when it is chosen, once
  }, [chosen]);
  const fromMiddle = (event: PointerEvent | WheelEvent): [number, number] => {
    const box = event.currentTarget.getBoundingClientRect();
    return [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
  };
  const down = (event: PointerEvent<HTMLCanvasElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    dragged.current = { x: event.clientX, y: event.clientY, far: false };
  };
  const move = (event: PointerEvent) => {
    const last = dragged.current;
    if (!last) return;
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    if (!last.far && Math.hypot(dx, dy) < 4) return;
    dragged.current = { x: event.clientX, y: event.clientY, far: true };
    setView({ ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale });
  };
  const up = (event: PointerEvent) => {
    if (dragged.current && !dragged.current.far) onChoose(nearest(places, view, ...fromMiddle(event), REACH));
    dragged.current = null;
  };
  const key = (event: KeyboardEvent) => {
    const next = byKey(view, event.key);
    if (!next) return;
    event.preventDefault();
    setView(next);
  };
  return (
    <canvas
      ref={canvas}
      className="graph-picture"
      tabIndex={0}
      role="img"
      aria-label={`${title}: ${graph.nodes.length} nodes, ${graph.edges.length} edges. Arrow keys move it, plus and minus change its size.`}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onWheel={(event) => setView(zoomed(view, event.deltaY < 0 ? NEARER : 1 / NEARER, ...fromMiddle(event)))}
      onKeyDown={key}
    />
  );
}

function centred(view: View, places: Float64Array, node: number): View {
  return { ...view, x: places[node * 2] ?? view.x, y: places[node * 2 + 1] ?? view.y };
}

function byKey(view: View, key: string): View | null {
  const by = (x: number, y: number) => ({ ...view, x: view.x + (x * STEP) / view.scale, y: view.y + (y * STEP) / view.scale });
  switch (key) {
    case "ArrowLeft":
      return by(-1, 0);
    case "ArrowRight":
      return by(1, 0);
    case "ArrowUp":
      return by(0, -1);
    case "ArrowDown":
      return by(0, 1);
    case "+":
    case "=":
      return zoomed(view, NEARER, 0, 0);
    case "-":
      return zoomed(view, 1 / NEARER, 0, 0);
    default:
      return null;
  }
}
