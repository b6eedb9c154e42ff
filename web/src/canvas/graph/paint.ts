/** Draws a graph. */
import type { Graph } from "./graph";
import type { View } from "./view";

export interface Picture {
  graph: Graph;
  links: readonly [number, number][];
  places: Float64Array;
  view: View;
  chosen: number;
  marked: ReadonlySet<number>;
}

const RADIUS = 6;
const MOST_LABELS = 120;
const LABEL_CHARACTERS = 28;

/** Draw it over all of a canvas, which has so many pixels for each of the page's. */
export function paint(canvas: HTMLCanvasElement, density: number, picture: Picture): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const [width, height] = [canvas.width / density, canvas.height / density];
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(name);
  const at = (node: number): [number, number] => [
    ((picture.places[node * 2] ?? 0) - picture.view.x) * picture.view.scale + width / 2,
    ((picture.places[node * 2 + 1] ?? 0) - picture.view.y) * picture.view.scale + height / 2,
  ];
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  edges(context, picture, at, colour);
  nodes(context, picture, at, colour);
  labels(context, picture, at, colour, (x, y) => x > -20 && y > -20 && x < width + 20 && y < height + 20);
}

type At = (node: number) => [number, number];
type Colour = (name: string) => string;

function edges(context: CanvasRenderingContext2D, { links, chosen }: Picture, at: At, colour: Colour): void {
  for (const [from, to] of links) {
    const touches = from === chosen || to === chosen;
    context.strokeStyle = colour(touches ? "--accent" : "--line");
    context.lineWidth = touches ? 2 : 1;
    context.beginPath();
    context.moveTo(...at(from));
    context.lineTo(...at(to));
    context.stroke();
  }
}

function nodes(context: CanvasRenderingContext2D, { graph, chosen, marked }: Picture, at: At, colour: Colour): void {
  const faint = colour("--faint");
  const accent = colour("--accent");
  for (let node = 0; node < graph.nodes.length; node += 1) {
    const told = node === chosen || marked.has(node);
    context.fillStyle = told ? accent : faint;
    context.beginPath();
    context.arc(...at(node), told ? RADIUS + 2 : RADIUS, 0, 2 * Math.PI);
    context.fill();
  }
}

/** As many as can be read: those that were asked for first. */
function labels(
  context: CanvasRenderingContext2D,
  { graph, chosen, marked }: Picture,
  at: At,
  colour: Colour,
  isSeen: (x: number, y: number) => boolean,
): void {
  const told = [chosen, ...marked].filter((node) => node >= 0);
  const seen = graph.nodes.map((_, node) => node).filter((node) => isSeen(...at(node)));
  const all = seen.length <= MOST_LABELS ? seen : [];
  context.fillStyle = colour("--text");
  for (const node of new Set([...told.slice(0, MOST_LABELS), ...all])) {
    const [x, y] = at(node);
    context.fillText((graph.nodes[node]?.label ?? "").slice(0, LABEL_CHARACTERS), x + RADIUS + 4, y + 4);
  }
}
