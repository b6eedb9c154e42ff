import { describe, expect, it } from "vitest";

import { found, readGraph } from "./graph";

const ends = (text: string) => readGraph(text).edges.map(({ from, label, to }) => [from, label, to]);

describe("a knowledge graph", () => {
  it.each([
    ["nodes and edges", '{"nodes":[{"id":"a"},{"id":"b"}],"edges":[{"from":"a","to":"b","label":"x"}]}'],
    ["nodes and links", '{"nodes":[{"id":"a"},{"id":"b"}],"links":[{"source":"a","target":"b","label":"x"}]}'],
    ["links that hold their nodes", '{"nodes":["a","b"],"links":[{"source":{"id":"a"},"target":{"id":"b"},"type":"x"}]}'],
    ["entities and relations", '{"entities":[{"name":"a"},{"name":"b"}],"relations":[{"from":"a","to":"b","relationType":"x"}]}'],
    ["triples", '{"triples":[["a","x","b"]]}'],
    ["subjects and objects", '{"nodes":["a","b"],"edges":[{"subject":"a","predicate":"x","object":"b"}]}'],
    ["elements", '{"elements":{"nodes":[{"data":{"id":"a"}}],"edges":[{"data":{"source":"a","target":"b","label":"x"}}]}}'],
  ])("is read from %s", (_, text) => {
    expect(ends(text)).toEqual([["a", "x", "b"]]);
    expect(readGraph(text).nodes.map(({ id }) => id).sort()).toEqual(["a", "b"]);
  });

  it("may be empty, but not something else", () => {
    expect(readGraph('{"nodes":[],"edges":[]}')).toEqual({ nodes: [], edges: [], left: 0 });
    for (const text of ["7", "[]", '{"a":1}', "no"]) expect(() => readGraph(text)).toThrow();
  });

  it("is searched by name, kind and id, without regard to case", () => {
    const graph = readGraph('{"nodes":[{"id":"1","label":"Tumour protein","type":"Gene"},{"id":"2","label":"Mouse"}]}');
    expect(found(graph, "TUMOUR").map(({ id }) => id)).toEqual(["1"]);
    expect(found(graph, "gene").map(({ id }) => id)).toEqual(["1"]);
    expect(found(graph, " ")).toEqual([]);
  });

  it("of very many nodes is drawn where it is best connected", () => {
    const edges = Array.from({ length: 3000 }, (_, at) => ({ from: "hub", to: `n${at}` }));
    const graph = readGraph(JSON.stringify({ nodes: [{ id: "alone" }], edges }));
    expect([graph.nodes.length, graph.left]).toEqual([1500, 1502]);
    expect(graph.nodes[0]?.id).toBe("hub");
    expect(graph.nodes.some(({ id }) => id === "alone")).toBe(false);
    expect(graph.edges).toHaveLength(1499);
  });
});
