import { describe, expect, it } from "vitest";

import { parseGraph, searchNodes } from "./graph";
import { listKinds } from "./kinds";

const parseEdges = (text: string) => parseGraph(text).edges.map(({ from, label, to }) => [from, label, to]);

describe("parseGraph", () => {
  it.each([
    ["nodes and edges", '{"nodes":[{"id":"a"},{"id":"b"}],"edges":[{"from":"a","to":"b","label":"x"}]}'],
    ["nodes and links", '{"nodes":[{"id":"a"},{"id":"b"}],"links":[{"source":"a","target":"b","label":"x"}]}'],
    ["links that contain their nodes", '{"nodes":["a","b"],"links":[{"source":{"id":"a"},"target":{"id":"b"},"type":"x"}]}'],
    ["entities and relations", '{"entities":[{"name":"a"},{"name":"b"}],"relations":[{"from":"a","to":"b","relationType":"x"}]}'],
    ["triples", '{"triples":[["a","x","b"]]}'],
    ["subjects and objects", '{"nodes":["a","b"],"edges":[{"subject":"a","predicate":"x","object":"b"}]}'],
    ["Cytoscape elements", '{"elements":{"nodes":[{"data":{"id":"a"}}],"edges":[{"data":{"source":"a","target":"b","label":"x"}}]}}'],
  ])("parses %s", (_, text) => {
    expect(parseEdges(text)).toEqual([["a", "x", "b"]]);
    expect(parseGraph(text).nodes.map(({ id }) => id).sort()).toEqual(["a", "b"]);
  });

  it("accepts an empty graph and throws for anything else", () => {
    expect(parseGraph('{"nodes":[],"edges":[]}')).toEqual({ nodes: [], edges: [], omittedNodes: 0 });
    for (const text of ["7", "[]", '{"a":1}', "no"]) expect(() => parseGraph(text)).toThrow();
  });

  it("keeps the nodes with the most edges if there are too many", () => {
    const edges = Array.from({ length: 3000 }, (_, index) => ({ from: "hub", to: `n${index}` }));
    const graph = parseGraph(JSON.stringify({ nodes: [{ id: "alone" }], edges }));
    expect([graph.nodes.length, graph.omittedNodes]).toEqual([1500, 1502]);
    expect(graph.nodes[0]?.id).toBe("hub");
    expect(graph.nodes.some(({ id }) => id === "alone")).toBe(false);
    expect(graph.edges).toHaveLength(1499);
  });
});

describe("searchNodes", () => {
  it("searches label, kind and id, ignoring case", () => {
    const graph = parseGraph('{"nodes":[{"id":"1","label":"Tumour protein","type":"Gene"},{"id":"2","label":"Mouse"}]}');
    expect(searchNodes(graph, "TUMOUR").map(({ id }) => id)).toEqual(["1"]);
    expect(searchNodes(graph, "gene").map(({ id }) => id)).toEqual(["1"]);
    expect(searchNodes(graph, " ")).toEqual([]);
  });
});

describe("listKinds", () => {
  it("colors the kinds with the most nodes, most frequent first", () => {
    const nodes = [..."abbcdefghij"].map((kind, index) => ({ id: `n${index}`, type: kind }));
    const kinds = listKinds(parseGraph(JSON.stringify({ nodes: [...nodes, { id: "plain" }], edges: [] })));
    expect(kinds.map(({ name }) => name)).toEqual(["b", "a", "c", "d", "e", "f", "g", "h"]);
    expect(kinds[0]).toEqual({ name: "b", count: 2, color: "--kind-1" });
  });
});
