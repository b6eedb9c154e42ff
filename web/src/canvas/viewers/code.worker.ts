/** Colours short texts, sets JSON in order, cuts long texts into lines: none of it holds up the page. */
import highlight from "highlight.js/lib/common";

import type { Prepared } from "./code";

const MOST_COLOURED = 60_000;
const LONGEST_LINE = 2_000;

onmessage = ({ data }: MessageEvent<{ text: string; language: string | null }>) => {
  postMessage(prepared(data.text, data.language));
};

function prepared(text: string, language: string | null): Prepared {
  const shown = language === "json" ? inOrder(text) : text;
  if (language && highlight.getLanguage(language) && isShort(shown)) {
    return { kind: "coloured", html: highlight.highlight(shown, { language, ignoreIllegals: true }).value };
  }
  return { kind: "lines", lines: shown.split(/\r\n|\n|\r/).map(cut) };
}

function inOrder(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // not JSON, or deeper than can be read: shown as it is
  }
}

function isShort(text: string): boolean {
  return text.length <= MOST_COLOURED && text.split("\n").every((line) => line.length <= LONGEST_LINE);
}

/** A line that is longer than anybody reads takes the page longest. */
function cut(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} …` : line;
}
