/** In which language a text is, by what its tool said, its type, its name: names of highlight.js. */
import type { Item } from "../item";

const BY_MIME: Record<string, string> = {
  "application/json": "json",
  "application/javascript": "javascript",
  "application/sql": "sql",
  "application/toml": "ini",
  "application/x-python": "python",
  "application/x-sh": "bash",
  "application/xml": "xml",
  "application/yaml": "yaml",
  "text/css": "css",
  "text/html": "xml",
  "text/javascript": "javascript",
  "text/x-python": "python",
  "text/x-typescript": "typescript",
  "text/xml": "xml",
};

const BY_ENDING: Record<string, string> = {
  c: "c", cpp: "cpp", cs: "csharp", css: "css", diff: "diff", go: "go", h: "c", html: "xml", ini: "ini", java: "java",
  js: "javascript", json: "json", kt: "kotlin", lua: "lua", mjs: "javascript", md: "markdown", php: "php", pl: "perl",
  py: "python", r: "r", rb: "ruby", rs: "rust", sh: "bash", sql: "sql", svg: "xml", swift: "swift", toml: "ini",
  ts: "typescript", tsx: "typescript", xml: "xml", yaml: "yaml", yml: "yaml",
}; // prettier-ignore

/** Return the language, or null for plain text. */
export function languageOf({ language, mime, name }: Pick<Item, "language" | "mime" | "name">): string | null {
  const byMime = BY_MIME[mime] ?? (mime.endsWith("+json") ? "json" : mime.endsWith("+xml") ? "xml" : undefined);
  const ending = name.toLowerCase().split(".").pop() ?? "";
  return language?.toLowerCase() ?? byMime ?? BY_ENDING[ending] ?? null;
}
