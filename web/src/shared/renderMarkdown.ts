/**
 * Render Markdown as HTML that is safe to insert into the page. Loaded with the first message.
 * The HTML never runs scripts and never fetches anything: remote images become links.
 */
import DOMPurify from "dompurify";
import { parseMarkdown } from "./parseMarkdown";

export { parseMarkdown };

const purify = DOMPurify();
const ABSOLUTE_ADDRESS = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;
let linkableFiles: ReadonlySet<string> = new Set();

purify.addHook("afterSanitizeAttributes", (node) => {
  if (node instanceof HTMLAnchorElement) {
    const address = node.getAttribute("href") ?? "";
    node.removeAttribute("data-file");
    if (ABSOLUTE_ADDRESS.test(address)) openInNewTab(node);
    else markFileLink(node, fileName(address));
  }
  if (node instanceof HTMLImageElement && !/^data:image\//i.test(node.getAttribute("src") ?? "")) {
    node.replaceWith(linkTo(node.getAttribute("src") ?? "", node.alt));
  }
});

const FORBIDDEN_TAGS = ["style", "form", "input", "button", "textarea", "select", "iframe", "svg", "math", "dialog"];

/**
 * Return the HTML without scripts, forms, frames and styles. A relative link opens nothing on this site: it becomes a button
 * if it names one of `files`, and text otherwise.
 */
export function sanitizeHtml(html: string, files: ReadonlySet<string> = new Set()): string {
  linkableFiles = files;
  const safe = purify.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: FORBIDDEN_TAGS,
    FORBID_ATTR: ["style", "id", "name", "class"],
    ADD_ATTR: ["target", "data-language", "data-math", "data-task", "data-file"],
    ALLOW_DATA_ATTR: false,
  });
  return safe.replace(CODE_BLOCK, addCodeHeader);
}

const CODE_BLOCK = /<pre>(<code data-language="([\w+-]{0,20})">[\s\S]*?<\/code>)<\/pre>/g;

/** Add a bar with the language and a Copy button to a block of code. The sanitizer has escaped the code. */
function addCodeHeader(_block: string, code: string, language: string): string {
  const copy = '<button type="button" class="plain" data-copy="code">Copy</button>';
  return `<div class="code-block"><div class="code-head"><span>${language}</span>${copy}</div><pre tabindex="0">${code}</pre></div>`;
}

function openInNewTab(link: HTMLAnchorElement): void {
  link.target = "_blank";
  link.rel = "noopener noreferrer";
}

/** Return the file name at the end of a relative address. */
function fileName(address: string): string {
  const name = address.split(/[?#]/, 1)[0]?.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Mark a relative link to a file, which `enrichMarkdown` makes a button; a link to anything else becomes text. */
function markFileLink(link: HTMLAnchorElement, name: string): void {
  link.removeAttribute("href");
  if (linkableFiles.has(name)) link.dataset["file"] = name;
}

function linkTo(source: string, title: string): Node {
  const link = document.createElement("a");
  link.textContent = title || source;
  if (/^https?:/i.test(source)) link.href = source;
  openInNewTab(link);
  return link;
}
