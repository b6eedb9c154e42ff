import { useEffect, useMemo, useState } from "react";

import { found, type Graph as Network, type GraphNode, readGraph } from "../graph/graph";
import { GraphPicture } from "../graph/GraphPicture";
import type { Layout } from "../graph/layout.worker";
import type { Item } from "../item";
import { NotShown, Shown } from "../Shown";
import type { ViewerProps } from ".";
import { useText } from "./useFile";

const MOST_BYTES = 2 << 20;
const MOST_FOUND = 20;

/** A knowledge graph, drawn and searchable. */
export default function Graph({ item }: ViewerProps) {
  return (
    <Shown item={item} loaded={useText(item, MOST_BYTES)}>
      {({ text }) => <Read item={item} text={text} />}
    </Shown>
  );
}

function Read({ item, text }: { item: Item; text: string }) {
  const graph = useMemo(() => read(text), [text]);
  if (!graph) return <NotShown item={item} why="This knowledge graph cannot be read." />;
  return <Drawn title={item.title} graph={graph} />;
}

function Drawn({ title, graph }: { title: string; graph: Network }) {
  const links = useMemo(() => linksOf(graph), [graph]);
  const places = useLayout(graph, links);
  const [wanted, setWanted] = useState("");
  const [chosen, setChosen] = useState(-1);
  const matches = useMemo(() => found(graph, wanted), [graph, wanted]);
  const marked = useMemo(() => new Set(matches.map((node) => graph.nodes.indexOf(node))), [graph, matches]);
  const node = graph.nodes[chosen];
  return (
    <div className="viewer-graph">
      <div className="table-bar">
        <label>
          Find <input type="search" value={wanted} onChange={(event) => setWanted(event.target.value)} />
        </label>
        <span role="status">{saidOf(graph, wanted, matches)}</span>
      </div>
      {matches.length > 0 && (
        <ul className="graph-found">
          {matches.slice(0, MOST_FOUND).map((match) => (
            <li key={match.id}>
              <button type="button" onClick={() => setChosen(graph.nodes.indexOf(match))}>
                {match.label}
              </button>
            </li>
          ))}
        </ul>
      )}
      {places ? (
        <GraphPicture
          title={title}
          graph={graph}
          links={links}
          places={places}
          chosen={chosen}
          marked={marked}
          onChoose={setChosen}
        />
      ) : (
        <p className="viewer-note">Drawing…</p>
      )}
      {node && <About graph={graph} node={node} onChoose={(id) => setChosen(placeOf(graph, id))} />}
    </div>
  );
}

function About({ graph, node, onChoose }: { graph: Network; node: GraphNode; onChoose(id: string): void }) {
  const touching = graph.edges.filter(({ from, to }) => from === node.id || to === node.id).slice(0, MOST_FOUND);
  return (
    <section className="graph-about" aria-label={node.label} aria-live="polite">
      <h3>{node.label}</h3>
      <dl>
        {node.facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value.slice(0, 300)}</dd>
          </div>
        ))}
      </dl>
      <ul>
        {touching.map(({ from, label, to }, at) => (
          <li key={at}>
            {from === node.id ? "→ " : "← "}
            {label && `${label} `}
            <button type="button" className="plain" onClick={() => onChoose(from === node.id ? to : from)}>
              {graph.nodes[placeOf(graph, from === node.id ? to : from)]?.label}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function saidOf(graph: Network, wanted: string, matches: readonly GraphNode[]): string {
  if (wanted.trim()) return `${matches.length} found`;
  const all = `${graph.nodes.length} nodes, ${graph.edges.length} edges`;
  return graph.left > 0 ? `${all}; ${graph.left} nodes with fewer edges are not drawn` : all;
}

function placeOf(graph: Network, id: string): number {
  return graph.nodes.findIndex((node) => node.id === id);
}

function linksOf(graph: Network): [number, number][] {
  const places = new Map(graph.nodes.map(({ id }, at) => [id, at]));
  return graph.edges.map(({ from, to }) => [places.get(from) ?? 0, places.get(to) ?? 0]);
}

function useLayout(graph: Network, links: [number, number][]): Layout | null {
  const [places, setPlaces] = useState<Layout | null>(null);
  useEffect(() => {
    const worker = new Worker(new URL("../graph/layout.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Layout>) => setPlaces(data);
    worker.postMessage({ count: graph.nodes.length, links });
    return () => worker.terminate();
  }, [graph, links]);
  return places;
}

function read(text: string): Network | null {
  try {
    return readGraph(text);
  } catch {
    return null; // the viewer says so
  }
}
