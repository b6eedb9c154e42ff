/**
 * Render Markdown as HTML that is safe to insert into the page. Loaded with the first message.
 * The HTML never runs scripts and never fetches anything: remote images become links.
 */
import DOMPurify from "dompurify";
import { Marked } from "marked";

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    code({ text, lang }) {
      const language = /^[\w+-]{1,20}/.exec(lang ?? "")?.[0] ?? "";
      return `<pre><code data-language="${language}">${escapeHtml(text)}</code></pre>`;
    },
  },
});
const purify = DOMPurify();

purify.addHook("afterSanitizeAttributes", (node) => {
  if (node instanceof HTMLAnchorElement) {
    node.target = "_blank";
    node.rel = "noopener noreferrer";
  }
  if (node instanceof HTMLImageElement && !/^data:image\//i.test(node.getAttribute("src") ?? "")) {
    node.replaceWith(linkTo(node.getAttribute("src") ?? "", node.alt));
  }
});

const FORBIDDEN_TAGS = ["style", "form", "input", "button", "textarea", "select", "iframe", "svg", "math", "dialog"];

/** Return the HTML without scripts, forms, frames and styles. */
export function sanitizeHtml(html: string): string {
  return purify.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: FORBIDDEN_TAGS,
    FORBID_ATTR: ["style", "id", "name", "class"],
    ADD_ATTR: ["target", "data-language"],
    ALLOW_DATA_ATTR: false,
  });
}

/** Split Markdown into blocks (paragraphs, lists, code), so that unchanged blocks need not render again. */
export function splitBlocks(text: string): string[] {
  return marked.lexer(text).map((token) => token.raw);
}

/** Return Markdown as safe HTML. */
export function renderMarkdown(text: string): string {
  return sanitizeHtml(marked.parse(text, { async: false }));
}

function linkTo(source: string, title: string): Node {
  const link = document.createElement("a");
  link.textContent = title || source;
  if (/^https?:/i.test(source)) link.href = source;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  return link;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
