/** Kinds of nodes and their colors. Pure. */
import type { Graph } from "./graph";

export interface Kind {
  name: string;
  /** Number of nodes. */
  count: number;
  /** CSS variable of its color. */
  color: string;
}

/** The theme has as many colors for kinds (`--kind-1`, …). */
const MAX_COLORS = 8;
export const NO_KIND_COLOR = "--faint";

/** Return the kinds with the most nodes, each with a color. Other nodes have no color of their own. */
export function listKinds(graph: Graph): Kind[] {
  const counts = new Map<string, number>();
  for (const { kind } of graph.nodes) if (kind !== null) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const byCount = [...counts].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
  return byCount.slice(0, MAX_COLORS).map(([name, count], index) => ({ name, count, color: `--kind-${index + 1}` }));
}
