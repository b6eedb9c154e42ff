/** Lenient parser for the knowledge graph formats that tools produce. Pure. */

export interface GraphNode {
  id: string;
  label: string;
  kind: string | null;
  /** All fields, shown when the node is selected. */
  properties: [name: string, value: string][];
}

export interface GraphEdge {
  from: string;
  to: string;
  label: string | null;
}

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** Number of nodes left out; the nodes with the most edges are kept. */
  omittedNodes: number;
}

type Fields = Record<string, unknown>;

const MAX_NODES = 1_500;
const MAX_PROPERTIES = 20;
const NODE_LISTS = ["nodes", "entities", "vertices"];
const EDGE_LISTS = ["edges", "links", "relations", "relationships", "triples"];
const ID_FIELDS = ["id", "key", "name", "curie", "label"];
const LABEL_FIELDS = ["label", "name", "title", "id"];
const KIND_FIELDS = ["type", "kind", "category", "entityType", "group"];
const SOURCE_FIELDS = ["source", "from", "subject", "start"];
const TARGET_FIELDS = ["target", "to", "object", "end"];
const EDGE_LABEL_FIELDS = ["label", "predicate", "relation", "relationType", "type", "name"];

/** Parse a graph. Throws if the text is not JSON, or has neither nodes nor edges. */
export function parseGraph(text: string): Graph {
  const parsed: unknown = JSON.parse(text);
  const root = isFields(parsed) ? parsed : {};
  const edges = findList(root, EDGE_LISTS).flatMap(parseEdge);
  const nodes = new Map(findList(root, NODE_LISTS).flatMap(parseNode).map((node) => [node.id, node]));
  if (nodes.size + edges.length === 0 && !NODE_LISTS.some((name) => name in root)) {
    throw new Error("This is not a graph: it has no nodes.");
  }
  for (const id of edges.flatMap(({ from, to }) => [from, to])) {
    if (!nodes.has(id)) nodes.set(id, { id, label: id, kind: null, properties: [] });
  }
  return limitNodes([...nodes.values()], edges);
}

/** Keep the nodes with the most edges, and the edges between them. */
function limitNodes(nodes: GraphNode[], edges: GraphEdge[]): Graph {
  if (nodes.length <= MAX_NODES) return { nodes, edges, omittedNodes: 0 };
  const degrees = new Map<string, number>();
  for (const id of edges.flatMap(({ from, to }) => [from, to])) degrees.set(id, (degrees.get(id) ?? 0) + 1);
  const byDegree = [...nodes].sort((one, other) => (degrees.get(other.id) ?? 0) - (degrees.get(one.id) ?? 0));
  const topNodes = byDegree.slice(0, MAX_NODES);
  const ids = new Set(topNodes.map(({ id }) => id));
  const keptEdges = edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
  return { nodes: topNodes, edges: keptEdges, omittedNodes: nodes.length - topNodes.length };
}

/** Return the nodes whose label, kind or id contains the query, ignoring case. */
export function searchNodes(graph: Graph, query: string): GraphNode[] {
  const needle = query.trim().toLowerCase();
  if (needle === "") return [];
  return graph.nodes.filter(({ id, label, kind }) =>
    [id, label, kind ?? ""].some((each) => each.toLowerCase().includes(needle)),
  );
}

/** Return the node in a list, or an empty list if the value is not a node. */
function parseNode(value: unknown): GraphNode[] {
  if (typeof value === "string" || typeof value === "number") {
    return [{ id: String(value), label: String(value), kind: null, properties: [] }];
  }
  if (!isFields(value)) return [];
  const inner = isFields(value.data) ? value.data : value; // Cytoscape nests the fields in `data`
  const id = findText(inner, ID_FIELDS);
  if (id === null) return [];
  return [{ id, label: findText(inner, LABEL_FIELDS) ?? id, kind: findText(inner, KIND_FIELDS), properties: listProperties(inner) }];
}

/** Return the edge in a list, or an empty list if the value is not an edge. */
function parseEdge(value: unknown): GraphEdge[] {
  if (Array.isArray(value)) {
    const [from, label, to] = value.map(parseId);
    return from && to ? [{ from, to, label: label ?? null }] : [];
  }
  if (!isFields(value)) return [];
  const inner = isFields(value.data) ? value.data : value;
  const [from, to] = [findText(inner, SOURCE_FIELDS), findText(inner, TARGET_FIELDS)];
  return from !== null && to !== null ? [{ from, to, label: findText(inner, EDGE_LABEL_FIELDS) }] : [];
}

function listProperties(fields: Fields): [string, string][] {
  const properties = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return properties.slice(0, MAX_PROPERTIES);
}

/** Return the first of the named fields that holds an id or a text. */
function findText(fields: Fields, names: string[]): string | null {
  for (const name of names) {
    const value = parseId(fields[name]);
    if (value !== null) return value;
  }
  return null;
}

/** Return an id; the ends of an edge may be ids or whole nodes. */
function parseId(value: unknown): string | null {
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value) && typeof value[0] === "string") return value[0];
  return isFields(value) ? findText(value, ID_FIELDS) : null;
}

function findList(fields: Fields, names: string[]): unknown[] {
  const inner = isFields(fields.elements) ? fields.elements : fields;
  const list = names.map((name) => inner[name]).find(Array.isArray);
  return list ?? [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
