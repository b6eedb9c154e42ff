/** Citations for other programs: BibTeX and RIS. Own code, since libraries for it weigh more than this whole page. Pure. */
import type { Citation } from "./citation";

/** Write citations as BibTeX, each under a key of its own. */
export function bibtex(citations: readonly Citation[]): string {
  const used = new Map<string, number>();
  return citations.map((citation) => entryOf(citation, unused(keyOf(citation), used))).join("\n\n");
}

function entryOf(citation: Citation, key: string): string {
  const fields: [string, string | null][] = [
    ["title", citation.title],
    ["author", citation.authors.join(" and ") || null],
    ["journal", citation.journal],
    ["year", citation.year],
    ["volume", citation.volume],
    ["number", citation.issue],
    ["pages", citation.pages],
    ["doi", citation.doi],
    ["pmid", citation.pmid],
    ["url", citation.link],
  ];
  const lines = fields.flatMap(([name, value]) => (value ? [`  ${name} = {${escaped(value)}}`] : []));
  return `@${citation.journal ? "article" : "misc"}{${key},\n${lines.join(",\n")}\n}`;
}

/** What TeX would take for a command; braces would end the field. */
function escaped(text: string): string {
  return text.replace(/[\r\n]+/g, " ").replace(/[{}\\]/g, "").replace(/[&%$#_]/g, "\\$&");
}

function keyOf({ authors, year, title }: Citation): string {
  const family = (authors[0] ?? title).split(/[\s,]+/)[0] ?? "";
  const plain = family.normalize("NFD").replace(/[^A-Za-z0-9]/g, "").toLowerCase();
  return `${plain || "item"}${year ?? ""}`;
}

function unused(key: string, used: Map<string, number>): string {
  const count = used.get(key) ?? 0;
  used.set(key, count + 1);
  return count === 0 ? key : `${key}_${count + 1}`;
}

/** Write citations as RIS. */
export function ris(citations: readonly Citation[]): string {
  return citations.map(recordOf).join("\r\n");
}

function recordOf(citation: Citation): string {
  const [first, last] = (citation.pages ?? "").split(/\s*[-–]+\s*/);
  const fields: [string, string | null | undefined][] = [
    ["TY", citation.journal ? "JOUR" : "GEN"],
    ["TI", citation.title],
    ...citation.authors.map((author): [string, string] => ["AU", author]),
    ["JO", citation.journal],
    ["PY", citation.year],
    ["VL", citation.volume],
    ["IS", citation.issue],
    ["SP", first],
    ["EP", last],
    ["DO", citation.doi],
    ["AN", citation.pmid],
    ["UR", citation.link],
    ["AB", citation.abstract],
  ];
  const lines = fields.flatMap(([tag, value]) => (value ? [`${tag}  - ${value.replace(/[\r\n]+/g, " ")}`] : []));
  return `${[...lines, "ER  - "].join("\r\n")}\r\n`;
}
