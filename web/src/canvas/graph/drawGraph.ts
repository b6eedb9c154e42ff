/** Draws a graph on a canvas. */
import type { Graph } from "./graph";
import type { Viewport } from "./viewport";

export interface GraphScene {
  graph: Graph;
  /** Edges as pairs of node indexes. */
  links: readonly [number, number][];
  /** x and y of each node in turn. */
  positions: Float64Array;
  viewport: Viewport;
  /** Index of the selected node; -1 for none. */
  selected: number;
  highlighted: ReadonlySet<number>;
}

const RADIUS = 6;
const MAX_LABELS = 120;
const MAX_LABEL_LENGTH = 28;

/** Redraw the whole canvas, which has `pixelRatio` pixels per CSS pixel. */
export function drawGraph(canvas: HTMLCanvasElement, pixelRatio: number, scene: GraphScene): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const [width, height] = [canvas.width / pixelRatio, canvas.height / pixelRatio];
  const { positions, viewport } = scene;
  const style = getComputedStyle(canvas);
  const getColor = (name: string) => style.getPropertyValue(name);
  const toScreen = (node: number): [number, number] => [
    ((positions[node * 2] ?? 0) - viewport.x) * viewport.scale + width / 2,
    ((positions[node * 2 + 1] ?? 0) - viewport.y) * viewport.scale + height / 2,
  ];
  const isVisible = (x: number, y: number) => x > -20 && y > -20 && x < width + 20 && y < height + 20;
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  drawEdges(context, scene, toScreen, getColor);
  drawNodes(context, scene, toScreen, getColor);
  drawLabels(context, scene, toScreen, getColor, isVisible);
}

type ToScreen = (node: number) => [number, number];
type GetColor = (name: string) => string;

function drawEdges(
  context: CanvasRenderingContext2D,
  { links, selected }: GraphScene,
  toScreen: ToScreen,
  getColor: GetColor,
): void {
  for (const [from, to] of links) {
    const isIncident = from === selected || to === selected;
    context.strokeStyle = getColor(isIncident ? "--accent" : "--line");
    context.lineWidth = isIncident ? 2 : 1;
    context.beginPath();
    context.moveTo(...toScreen(from));
    context.lineTo(...toScreen(to));
    context.stroke();
  }
}

function drawNodes(
  context: CanvasRenderingContext2D,
  { graph, selected, highlighted }: GraphScene,
  toScreen: ToScreen,
  getColor: GetColor,
): void {
  const faint = getColor("--faint");
  const accent = getColor("--accent");
  for (let node = 0; node < graph.nodes.length; node += 1) {
    const isEmphasized = node === selected || highlighted.has(node);
    context.fillStyle = isEmphasized ? accent : faint;
    context.beginPath();
    context.arc(...toScreen(node), isEmphasized ? RADIUS + 2 : RADIUS, 0, 2 * Math.PI);
    context.fill();
  }
}

/** Label the selected and highlighted nodes, and all visible nodes if they are few enough to stay readable. */
function drawLabels(
  context: CanvasRenderingContext2D,
  { graph, selected, highlighted }: GraphScene,
  toScreen: ToScreen,
  getColor: GetColor,
  isVisible: (x: number, y: number) => boolean,
): void {
  const emphasized = [selected, ...highlighted].filter((node) => node >= 0);
  const visible = graph.nodes.map((_, node) => node).filter((node) => isVisible(...toScreen(node)));
  const others = visible.length <= MAX_LABELS ? visible : [];
  context.fillStyle = getColor("--text");
  for (const node of new Set([...emphasized.slice(0, MAX_LABELS), ...others])) {
    const [x, y] = toScreen(node);
    context.fillText((graph.nodes[node]?.label ?? "").slice(0, MAX_LABEL_LENGTH), x + RADIUS + 4, y + 4);
  }
}
