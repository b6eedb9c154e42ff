/** Detects the language of a text from its metadata. Values are language names of highlight.js. */
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

const BY_EXTENSION: Record<string, string> = {
  c: "c", cpp: "cpp", cs: "csharp", css: "css", diff: "diff", go: "go", h: "c", html: "xml", ini: "ini", java: "java",
  js: "javascript", json: "json", kt: "kotlin", lua: "lua", mjs: "javascript", md: "markdown", php: "php", pl: "perl",
  py: "python", r: "r", rb: "ruby", rs: "rust", sh: "bash", sql: "sql", svg: "xml", swift: "swift", toml: "ini",
  ts: "typescript", tsx: "typescript", xml: "xml", yaml: "yaml", yml: "yaml",
}; // prettier-ignore

/** Return the language that the tool named, else by media type, else by file extension; null for plain text. */
export function detectLanguage({ language, mime, name }: Pick<Item, "language" | "mime" | "name">): string | null {
  const byMime = BY_MIME[mime] ?? (mime.endsWith("+json") ? "json" : mime.endsWith("+xml") ? "xml" : undefined);
  const extension = name.toLowerCase().split(".").pop() ?? "";
  return language?.toLowerCase() ?? byMime ?? BY_EXTENSION[extension] ?? null;
}
