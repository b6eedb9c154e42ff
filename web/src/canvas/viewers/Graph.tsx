import { useEffect, useMemo, useState } from "react";

import { texts } from "../../texts";
import { type Graph as GraphData, type GraphNode, parseGraph, searchNodes } from "../graph/graph";
import { GraphCanvas } from "../graph/GraphCanvas";
import { type Kind, listKinds } from "../graph/kinds";
import type { Layout } from "../graph/layout.worker";
import type { Item } from "../item";
import { AsyncPreview, PreviewError } from "../PreviewState";
import type { ViewerProps } from "./types";
import { useFileText } from "./useFileContent";

const MAX_BYTES = 2 << 20;
const MAX_LISTED = 20;
const MAX_VALUE_LENGTH = 300;

/** Knowledge graph that can be searched and navigated. */
export default function Graph({ item }: ViewerProps) {
  return (
    <AsyncPreview item={item} state={useFileText(item, MAX_BYTES)}>
      {({ text }) => <ParsedGraph item={item} text={text} />}
    </AsyncPreview>
  );
}

function ParsedGraph({ item, text }: { item: Item; text: string }) {
  const graph = useMemo(() => tryParse(text), [text]);
  if (!graph) return <PreviewError item={item} message={texts.graph.unreadable} />;
  return <GraphExplorer title={item.title} graph={graph} />;
}

function GraphExplorer({ title, graph }: { title: string; graph: GraphData }) {
  const links = useMemo(() => toIndexPairs(graph), [graph]);
  const positions = useLayout(graph, links);
  const kinds = useMemo(() => listKinds(graph), [graph]);
  const [query, setQuery] = useState("");
  const [selected, setSelected] = useState(-1);
  const matches = useMemo(() => searchNodes(graph, query), [graph, query]);
  const highlighted = useMemo(() => new Set(matches.map((node) => graph.nodes.indexOf(node))), [graph, matches]);
  const node = graph.nodes[selected];
  return (
    <div className="viewer-graph">
      <div className="viewer-toolbar">
        <label>
          {texts.graph.find} <input type="search" value={query} onChange={(event) => setQuery(event.target.value)} />
        </label>
        <span role="status">{describeStatus(graph, query, matches)}</span>
      </div>
      <Legend kinds={kinds} />
      {matches.length > 0 && (
        <ul className="graph-matches">
          {matches.slice(0, MAX_LISTED).map((match) => (
            <li key={match.id}>
              <button type="button" onClick={() => setSelected(graph.nodes.indexOf(match))}>
                {match.label}
              </button>
            </li>
          ))}
        </ul>
      )}
      {positions ? (
        <GraphCanvas
          title={title}
          graph={graph}
          kinds={kinds}
          links={links}
          positions={positions}
          selected={selected}
          highlighted={highlighted}
          onSelect={setSelected}
        />
      ) : (
        <p className="viewer-message">{texts.graph.drawing}</p>
      )}
      {node && <NodeDetails graph={graph} node={node} onSelect={(id) => setSelected(findIndex(graph, id))} />}
    </div>
  );
}

/** The colors of the kinds of nodes. */
function Legend({ kinds }: { kinds: readonly Kind[] }) {
  if (kinds.length === 0) return null;
  return (
    <ul className="graph-legend" aria-label={texts.graph.legend}>
      {kinds.map(({ name, count, color }) => (
        <li key={name}>
          <span className="graph-color" style={{ background: `var(${color})` }} aria-hidden="true" />
          {name} <span className="faint">{count}</span>
        </li>
      ))}
    </ul>
  );
}

function NodeDetails({ graph, node, onSelect }: { graph: GraphData; node: GraphNode; onSelect(id: string): void }) {
  const edges = graph.edges.filter(({ from, to }) => from === node.id || to === node.id).slice(0, MAX_LISTED);
  return (
    <section className="graph-details" aria-label={node.label} aria-live="polite">
      <h3>{node.label}</h3>
      <dl>
        {node.properties.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value.slice(0, MAX_VALUE_LENGTH)}</dd>
          </div>
        ))}
      </dl>
      <ul>
        {edges.map(({ from, label, to }, index) => (
          <li key={index}>
            {from === node.id ? "→ " : "← "}
            {label && `${label} `}
            <button type="button" className="plain" onClick={() => onSelect(from === node.id ? to : from)}>
              {graph.nodes[findIndex(graph, from === node.id ? to : from)]?.label}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function describeStatus(graph: GraphData, query: string, matches: readonly GraphNode[]): string {
  if (query.trim()) return texts.graph.found(matches.length);
  const counts = texts.graph.counts(graph.nodes.length, graph.edges.length);
  return graph.omittedNodes > 0 ? texts.graph.omitted(counts, graph.omittedNodes) : counts;
}

function findIndex(graph: GraphData, id: string): number {
  return graph.nodes.findIndex((node) => node.id === id);
}

/** Return the edges as pairs of node indexes. */
function toIndexPairs(graph: GraphData): [number, number][] {
  const indexes = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  return graph.edges.map(({ from, to }) => [indexes.get(from) ?? 0, indexes.get(to) ?? 0]);
}

/** Compute node positions in a worker; null until they are ready. */
function useLayout(graph: GraphData, links: [number, number][]): Layout | null {
  const [positions, setPositions] = useState<Layout | null>(null);
  useEffect(() => {
    const worker = new Worker(new URL("../graph/layout.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Layout>) => setPositions(data);
    worker.postMessage({ count: graph.nodes.length, links });
    return () => worker.terminate();
  }, [graph, links]);
  return positions;
}

function tryParse(text: string): GraphData | null {
  try {
    return parseGraph(text);
  } catch {
    return null;
  }
}
