/** Colours for code. Loaded with the first piece of code; knows the languages that come up most. */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import r from "highlight.js/lib/languages/r";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import "./highlight.css";

const LANGUAGES = { bash, css, javascript, json, markdown, python, r, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

const MOST_CHARS = 100_000; // more would hold up the page; it stays plain

/** Return code as HTML with colours: all of it escaped, with spans alone. `language` null: it is guessed. */
export function highlighted(code: string, language: string | null): string | null {
  if (code.length > MOST_CHARS) return null;
  if (language !== null && hljs.getLanguage(language)) return hljs.highlight(code, { language }).value;
  return language === null ? hljs.highlightAuto(code).value : null;
}

/** Colour what stands in an element; its `data-language` says what it is. */
export function highlightElement(element: HTMLElement): void {
  if (element.dataset["highlighted"]) return;
  const html = highlighted(element.textContent ?? "", element.dataset["language"] ?? null);
  if (html !== null) element.innerHTML = html;
  element.dataset["highlighted"] = "yes";
}
