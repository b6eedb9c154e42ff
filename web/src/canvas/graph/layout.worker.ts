/** Places the nodes of a graph: seconds of work where there are many. */
import { forceCenter, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";

export interface LayoutQuestion {
  count: number;
  /** Pairs of places in the list of nodes. */
  links: [from: number, to: number][];
}

/** The nodes' places, x and y in turn. */
export type Layout = Float64Array<ArrayBuffer>;

const STEPS = 300;
const DISTANCE = 60;

onmessage = ({ data }: MessageEvent<LayoutQuestion>) => {
  const places = layout(data);
  postMessage(places, { transfer: [places.buffer] });
};

function layout({ count, links }: LayoutQuestion): Layout {
  const nodes = Array.from({ length: count }, () => ({ x: Number.NaN, y: Number.NaN }));
  forceSimulation(nodes)
    .force("links", forceLink(links.map(([source, target]) => ({ source, target }))).distance(DISTANCE))
    .force("apart", forceManyBody().strength(-120))
    .force("middle", forceCenter(0, 0))
    .force("x", forceX(0).strength(0.05)) // parts that hang on nothing would fly away
    .force("y", forceY(0).strength(0.05))
    .stop()
    .tick(STEPS);
  return Float64Array.from(nodes.flatMap(({ x, y }) => [x, y]));
}
