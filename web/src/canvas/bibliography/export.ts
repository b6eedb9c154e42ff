/** Export of citations as BibTeX and RIS. No library, because those are larger than this whole page. Pure. */
import type { Citation } from "./citation";

/** Convert citations to BibTeX, each with a unique key. */
export function toBibtex(citations: readonly Citation[]): string {
  const usedKeys = new Map<string, number>();
  return citations.map((citation) => toBibtexEntry(citation, makeUnique(getKey(citation), usedKeys))).join("\n\n");
}

function toBibtexEntry(citation: Citation, key: string): string {
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
  const lines = fields.flatMap(([name, value]) => (value ? [`  ${name} = {${escapeTex(value)}}`] : []));
  return `@${citation.journal ? "article" : "misc"}{${key},\n${lines.join(",\n")}\n}`;
}

/** Escape TeX commands, and remove braces, which would end the field. */
function escapeTex(text: string): string {
  return text.replace(/[\r\n]+/g, " ").replace(/[{}\\]/g, "").replace(/[&%$#_]/g, "\\$&");
}

/** Return a key such as `ota2019`. */
function getKey({ authors, year, title }: Citation): string {
  const family = (authors[0] ?? title).split(/[\s,]+/)[0] ?? "";
  const ascii = family.normalize("NFD").replace(/[^A-Za-z0-9]/g, "").toLowerCase();
  return `${ascii || "item"}${year ?? ""}`;
}

/** Append a number if the key is already used. */
function makeUnique(key: string, usedKeys: Map<string, number>): string {
  const count = usedKeys.get(key) ?? 0;
  usedKeys.set(key, count + 1);
  return count === 0 ? key : `${key}_${count + 1}`;
}

/** Convert citations to RIS. */
export function toRis(citations: readonly Citation[]): string {
  return citations.map(toRisRecord).join("\r\n");
}

function toRisRecord(citation: Citation): string {
  const [firstPage, lastPage] = (citation.pages ?? "").split(/[-–]+/).map((page) => page.trim()); // /\s*-/ takes quadratic time
  const fields: [string, string | null | undefined][] = [
    ["TY", citation.journal ? "JOUR" : "GEN"],
    ["TI", citation.title],
    ...citation.authors.map((author): [string, string] => ["AU", author]),
    ["JO", citation.journal],
    ["PY", citation.year],
    ["VL", citation.volume],
    ["IS", citation.issue],
    ["SP", firstPage],
    ["EP", lastPage],
    ["DO", citation.doi],
    ["AN", citation.pmid],
    ["UR", citation.link],
    ["AB", citation.abstract],
  ];
  const lines = fields.flatMap(([tag, value]) => (value ? [`${tag}  - ${value.replace(/[\r\n]+/g, " ")}`] : []));
  return `${[...lines, "ER  - "].join("\r\n")}\r\n`;
}
