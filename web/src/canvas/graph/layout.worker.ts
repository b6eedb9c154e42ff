/** Computes node positions of a graph; takes seconds for a large one. */
import { forceCenter, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";

export interface LayoutRequest {
  /** Number of nodes. */
  count: number;
  /** Edges as pairs of node indexes. */
  links: [from: number, to: number][];
}

/** x and y of each node in turn. */
export type Layout = Float64Array<ArrayBuffer>;

const TICKS = 300;
const LINK_DISTANCE = 60;

onmessage = ({ data }: MessageEvent<LayoutRequest>) => {
  const positions = computeLayout(data);
  postMessage(positions, { transfer: [positions.buffer] });
};

function computeLayout({ count, links }: LayoutRequest): Layout {
  const nodes = Array.from({ length: count }, () => ({ x: Number.NaN, y: Number.NaN }));
  forceSimulation(nodes)
    .force("links", forceLink(links.map(([source, target]) => ({ source, target }))).distance(LINK_DISTANCE))
    .force("charge", forceManyBody().strength(-120))
    .force("center", forceCenter(0, 0))
    .force("x", forceX(0).strength(0.05)) // keeps disconnected parts from drifting away
    .force("y", forceY(0).strength(0.05))
    .stop()
    .tick(TICKS);
  return Float64Array.from(nodes.flatMap(({ x, y }) => [x, y]));
}
