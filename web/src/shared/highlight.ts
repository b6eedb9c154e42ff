/** Syntax highlighting for the most common languages. Loaded with the first code block. */
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

const MAX_CHARS = 100_000; // longer code would block the page, so it stays plain

/**
 * Return escaped code as HTML with highlighting spans, or null if it cannot be highlighted.
 * A null `language` means: detect it.
 */
export function highlightCode(code: string, language: string | null): string | null {
  if (code.length > MAX_CHARS) return null;
  if (language !== null && hljs.getLanguage(language)) return hljs.highlight(code, { language }).value;
  return language === null ? hljs.highlightAuto(code).value : null;
}

/** Highlight an element's text once, in the language of its `data-language` attribute. */
export function highlightElement(element: HTMLElement): void {
  if (element.dataset["highlighted"]) return;
  const html = highlightCode(element.textContent ?? "", element.dataset["language"] ?? null);
  if (html !== null) element.innerHTML = html;
  element.dataset["highlighted"] = "yes";
}
