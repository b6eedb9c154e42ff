/** Highlights short texts, formats JSON and splits long texts into lines, without blocking the page. */
import highlight from "highlight.js/lib/common";

export type PreparedText = { kind: "highlighted"; html: string } | { kind: "lines"; lines: string[] };

const MAX_HIGHLIGHTED_CHARACTERS = 60_000;
const MAX_LINE_LENGTH = 2_000;

onmessage = ({ data }: MessageEvent<{ text: string; language: string | null }>) => {
  postMessage(prepareText(data.text, data.language));
};

function prepareText(source: string, language: string | null): PreparedText {
  const text = language === "json" ? formatJson(source) : source;
  if (language && highlight.getLanguage(language) && isShort(text)) {
    return { kind: "highlighted", html: highlight.highlight(text, { language, ignoreIllegals: true }).value };
  }
  return { kind: "lines", lines: text.split(/\r\n|\n|\r/).map(truncate) };
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // invalid, or nested too deeply: show the source
  }
}

function isShort(text: string): boolean {
  return (
    text.length <= MAX_HIGHLIGHTED_CHARACTERS && text.split("\n").every((line) => line.length <= MAX_LINE_LENGTH)
  );
}

/** Truncate a long line: browsers need very long to lay it out. */
function truncate(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)} …` : line;
}
