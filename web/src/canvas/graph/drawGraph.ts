/** Draws a graph on a canvas. */
import type { Graph } from "./graph";
import { type Kind, NO_KIND_COLOR } from "./kinds";
import type { Viewport } from "./viewport";

export interface GraphScene {
  graph: Graph;
  kinds: readonly Kind[];
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
const EDGE_OPACITY = 0.6;
const ARROW_PX = 7;
const HALO_PX = 4;
const LABEL_GAP_PX = RADIUS + 4;
/** Edges are labeled if this many pixels are between their nodes, and if they are few enough to stay readable. */
const MIN_LABELED_EDGE_PX = 110;
const MAX_EDGE_LABELS = 80;

/** Redraw the whole canvas, which has `pixelRatio` pixels per CSS pixel. */
export function drawGraph(canvas: HTMLCanvasElement, pixelRatio: number, scene: GraphScene): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const [width, height] = [canvas.width / pixelRatio, canvas.height / pixelRatio];
  const { positions, viewport } = scene;
  const style = getComputedStyle(canvas);
  const colors = new Map<string, string>(); // reading a style is slow
  const getColor = (name: string): string => {
    const color = colors.get(name) ?? style.getPropertyValue(name);
    colors.set(name, color);
    return color;
  };
  const toScreen = (node: number): [number, number] => [
    ((positions[node * 2] ?? 0) - viewport.x) * viewport.scale + width / 2,
    ((positions[node * 2 + 1] ?? 0) - viewport.y) * viewport.scale + height / 2,
  ];
  const isVisible = (x: number, y: number) => x > -20 && y > -20 && x < width + 20 && y < height + 20;
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  drawEdges(context, scene, toScreen, getColor);
  drawEdgeLabels(context, scene, toScreen, getColor, isVisible);
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
    const color = getColor(isIncident ? "--accent" : "--faint");
    context.globalAlpha = isIncident ? 1 : EDGE_OPACITY;
    context.strokeStyle = color;
    context.fillStyle = color;
    context.lineWidth = isIncident ? 2 : 1;
    context.beginPath();
    context.moveTo(...toScreen(from));
    context.lineTo(...toScreen(to));
    context.stroke();
    drawArrow(context, toScreen(from), toScreen(to));
  }
  context.globalAlpha = 1;
}

/** Draw the head of an arrow that ends at the circle of a node. */
function drawArrow(context: CanvasRenderingContext2D, [fromX, fromY]: [number, number], [x, y]: [number, number]): void {
  const length = Math.hypot(x - fromX, y - fromY);
  if (length < 2 * RADIUS + ARROW_PX) return;
  const [dx, dy] = [(x - fromX) / length, (y - fromY) / length];
  const [tipX, tipY] = [x - dx * (RADIUS + 1), y - dy * (RADIUS + 1)];
  const [baseX, baseY] = [tipX - dx * ARROW_PX, tipY - dy * ARROW_PX];
  const half = ARROW_PX / 2;
  context.beginPath();
  context.moveTo(tipX, tipY);
  context.lineTo(baseX - dy * half, baseY + dx * half);
  context.lineTo(baseX + dy * half, baseY - dx * half);
  context.fill();
}

function drawNodes(
  context: CanvasRenderingContext2D,
  { graph, kinds, selected, highlighted }: GraphScene,
  toScreen: ToScreen,
  getColor: GetColor,
): void {
  const colors = new Map(kinds.map(({ name, color }) => [name, getColor(color)]));
  const noKind = getColor(NO_KIND_COLOR);
  for (let node = 0; node < graph.nodes.length; node += 1) {
    const isEmphasized = node === selected || highlighted.has(node);
    context.fillStyle = colors.get(graph.nodes[node]?.kind ?? "") ?? noKind;
    context.beginPath();
    context.arc(...toScreen(node), isEmphasized ? RADIUS + 2 : RADIUS, 0, 2 * Math.PI);
    context.fill();
    if (!isEmphasized) continue;
    context.strokeStyle = getColor("--accent");
    context.lineWidth = 3;
    context.stroke();
  }
}

/** Write a text with a halo in the color of the page, so that it can be read above lines. */
function drawText(context: CanvasRenderingContext2D, text: string, x: number, y: number, color: string, halo: string): void {
  const shown = text.slice(0, MAX_LABEL_LENGTH);
  context.lineJoin = "round";
  context.lineWidth = HALO_PX;
  context.strokeStyle = halo;
  context.strokeText(shown, x, y);
  context.fillStyle = color;
  context.fillText(shown, x, y);
}

/** Label the edges of the selected node, and all visible edges that are long enough if they are few. */
function drawEdgeLabels(
  context: CanvasRenderingContext2D,
  { graph, links, selected }: GraphScene,
  toScreen: ToScreen,
  getColor: GetColor,
  isVisible: (x: number, y: number) => boolean,
): void {
  const labeled = links.flatMap(([from, to], index) => {
    const label = graph.edges[index]?.label;
    const [[x1, y1], [x2, y2]] = [toScreen(from), toScreen(to)];
    const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
    if (!label || !isVisible(x, y)) return [];
    const isIncident = from === selected || to === selected;
    return isIncident || Math.hypot(x2 - x1, y2 - y1) >= MIN_LABELED_EDGE_PX ? [{ label, x, y, isIncident }] : [];
  });
  const shown = labeled.length <= MAX_EDGE_LABELS ? labeled : labeled.filter(({ isIncident }) => isIncident);
  context.textAlign = "center";
  for (const { label, x, y } of shown) drawText(context, label, x, y + 4, getColor("--faint"), getColor("--page"));
  context.textAlign = "start";
}

/** Places of a label around its node, best first: the angle at which it lies, its offset, and what of the text is there. */
const LABEL_PLACES = [
  { angle: 0, dx: LABEL_GAP_PX, dy: 4, align: "left" },
  { angle: Math.PI, dx: -LABEL_GAP_PX, dy: 4, align: "right" },
  { angle: Math.PI / 2, dx: 0, dy: LABEL_GAP_PX + 10, align: "center" },
  { angle: -Math.PI / 2, dx: 0, dy: -LABEL_GAP_PX, align: "center" },
] as const;
/** An edge at least this far from the angle of a label does not run behind it. */
const FREE_ANGLE = Math.PI / 6;

/** Return the first place of a label that no edge of the node crosses, or else the one that is farthest from all edges. */
export function placeLabel(edgeAngles: readonly number[]): (typeof LABEL_PLACES)[number] {
  const distance = (one: number, other: number): number => Math.abs(Math.atan2(Math.sin(one - other), Math.cos(one - other)));
  const free = LABEL_PLACES.map((place) => Math.min(FREE_ANGLE, ...edgeAngles.map((angle) => distance(angle, place.angle))));
  return LABEL_PLACES[free.indexOf(Math.max(...free))] ?? LABEL_PLACES[0];
}

/** Label the selected and highlighted nodes, and all visible nodes if they are few enough to stay readable. */
function drawLabels(
  context: CanvasRenderingContext2D,
  { graph, links, selected, highlighted }: GraphScene,
  toScreen: ToScreen,
  getColor: GetColor,
  isVisible: (x: number, y: number) => boolean,
): void {
  const emphasized = [selected, ...highlighted].filter((node) => node >= 0);
  const visible = graph.nodes.map((_, node) => node).filter((node) => isVisible(...toScreen(node)));
  const others = visible.length <= MAX_LABELS ? visible : [];
  const labeled = new Set([...emphasized.slice(0, MAX_LABELS), ...others]);
  const angles = new Map([...labeled].map((node) => [node, [] as number[]]));
  for (const [from, to] of links) {
    const [[x1, y1], [x2, y2]] = [toScreen(from), toScreen(to)];
    angles.get(from)?.push(Math.atan2(y2 - y1, x2 - x1));
    angles.get(to)?.push(Math.atan2(y1 - y2, x1 - x2));
  }
  for (const node of labeled) {
    const [x, y] = toScreen(node);
    const { dx, dy, align } = placeLabel(angles.get(node) ?? []);
    context.textAlign = align;
    drawText(context, graph.nodes[node]?.label ?? "", x + dx, y + dy, getColor("--text"), getColor("--page"));
  }
  context.textAlign = "start";
}
