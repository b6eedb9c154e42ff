/** Matches of a text search, and their highlights. */

/** Return where a text contains the query, ignoring case and space around the query. Pure. */
export function findAll(text: string, query: string): number[] {
  const needle = query.trim().toLowerCase();
  const haystack = text.toLowerCase();
  const found: number[] = [];
  if (needle === "") return found;
  for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + needle.length)) found.push(at);
  return found;
}

/** Return a range for each match of the query in the text of an element. */
export function findRanges(root: Node, query: string): Range[] {
  const nodes = textNodesOf(root);
  const ends: number[] = [];
  for (const node of nodes) ends.push((ends.at(-1) ?? 0) + node.length);
  const place = (range: Range, at: number, edge: "setStart" | "setEnd"): void => {
    // The end of a match belongs to the node before it.
    const index = ends.findIndex((end) => (edge === "setStart" ? end > at : end >= at));
    const node = nodes[index];
    if (node) range[edge](node, at - ((ends[index] ?? 0) - node.length));
  };
  return findAll(nodes.map((node) => node.data).join(""), query).map((at) => {
    const range = document.createRange();
    place(range, at, "setStart");
    place(range, at + query.trim().length, "setEnd");
    return range;
  });
}

function textNodesOf(root: Node): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  return nodes;
}

/** Color the ranges like other highlights of this name. Return a function that ends it. Does nothing in older browsers. */
export function highlight(name: string, ranges: readonly Range[]): () => void {
  if (!("highlights" in CSS)) return () => undefined;
  const shared = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, shared);
  for (const range of ranges) shared.add(range);
  return () => {
    for (const range of ranges) shared.delete(range);
  };
}
