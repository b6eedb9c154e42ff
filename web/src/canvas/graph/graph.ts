/** Knowledge graphs as tools write them (spec 5), read leniently. Pure. */

export interface GraphNode {
  id: string;
  label: string;
  kind: string | null;
  /** What else is said of it, to be read when it is chosen. */
  facts: [name: string, value: string][];
}

export interface GraphEdge {
  from: string;
  to: string;
  label: string | null;
}

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** How many nodes there are beyond those that are drawn: the best connected are. */
  left: number;
}

type Fields = Record<string, unknown>;

const MOST_NODES = 1_500;
const MOST_FACTS = 20;
const NODE_LISTS = ["nodes", "entities", "vertices"];
const EDGE_LISTS = ["edges", "links", "relations", "relationships", "triples"];
const IDS = ["id", "key", "name", "curie", "label"];
const LABELS = ["label", "name", "title", "id"];
const KINDS = ["type", "kind", "category", "entityType", "group"];
const SOURCES = ["source", "from", "subject", "start"];
const TARGETS = ["target", "to", "object", "end"];
const EDGE_LABELS = ["label", "predicate", "relation", "relationType", "type", "name"];

/** Read a graph. Throws where the text is no JSON, or has neither nodes nor edges. */
export function readGraph(text: string): Graph {
  const parsed: unknown = JSON.parse(text);
  const whole = isFields(parsed) ? parsed : {};
  const edges = listOf(whole, EDGE_LISTS).flatMap(edgeOf);
  const nodes = new Map(listOf(whole, NODE_LISTS).flatMap(nodeOf).map((node) => [node.id, node]));
  if (nodes.size + edges.length === 0 && !NODE_LISTS.some((name) => name in whole)) {
    throw new Error("This is no graph: it has no nodes.");
  }
  for (const id of edges.flatMap(({ from, to }) => [from, to])) {
    if (!nodes.has(id)) nodes.set(id, { id, label: id, kind: null, facts: [] });
  }
  return bounded([...nodes.values()], edges);
}

function bounded(nodes: GraphNode[], edges: GraphEdge[]): Graph {
  if (nodes.length <= MOST_NODES) return { nodes, edges, left: 0 };
  const degrees = new Map<string, number>();
  for (const id of edges.flatMap(({ from, to }) => [from, to])) degrees.set(id, (degrees.get(id) ?? 0) + 1);
  const falling = [...nodes].sort((one, other) => (degrees.get(other.id) ?? 0) - (degrees.get(one.id) ?? 0));
  const kept = falling.slice(0, MOST_NODES);
  const ids = new Set(kept.map(({ id }) => id));
  const between = edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
  return { nodes: kept, edges: between, left: nodes.length - kept.length };
}

/** Return the nodes whose label, kind or id holds a text. */
export function found(graph: Graph, text: string): GraphNode[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  return graph.nodes.filter(({ id, label, kind }) =>
    [id, label, kind ?? ""].some((each) => each.toLowerCase().includes(wanted)),
  );
}

function nodeOf(given: unknown): GraphNode[] {
  if (typeof given === "string" || typeof given === "number") {
    return [{ id: String(given), label: String(given), kind: null, facts: [] }];
  }
  if (!isFields(given)) return [];
  const inner = isFields(given.data) ? given.data : given; // as cytoscape has it
  const id = firstOf(inner, IDS);
  if (id === null) return [];
  return [{ id, label: firstOf(inner, LABELS) ?? id, kind: firstOf(inner, KINDS), facts: factsOf(inner) }];
}

function edgeOf(given: unknown): GraphEdge[] {
  if (Array.isArray(given)) {
    const [from, label, to] = given.map(idOf);
    return from && to ? [{ from, to, label: label ?? null }] : [];
  }
  if (!isFields(given)) return [];
  const inner = isFields(given.data) ? given.data : given;
  const [from, to] = [firstOf(inner, SOURCES), firstOf(inner, TARGETS)];
  return from !== null && to !== null ? [{ from, to, label: firstOf(inner, EDGE_LABELS) }] : [];
}

function factsOf(fields: Fields): [string, string][] {
  const told = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return told.slice(0, MOST_FACTS);
}

function firstOf(fields: Fields, names: string[]): string | null {
  for (const name of names) {
    const value = idOf(fields[name]);
    if (value !== null) return value;
  }
  return null;
}

/** Ends of an edge may be ids, or the nodes themselves. */
function idOf(value: unknown): string | null {
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value) && typeof value[0] === "string") return value[0];
  return isFields(value) ? firstOf(value, IDS) : null;
}

function listOf(fields: Fields, names: string[]): unknown[] {
  const inner = isFields(fields.elements) ? fields.elements : fields;
  const list = names.map((name) => inner[name]).find(Array.isArray);
  return list ?? [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
