/**
 * Prepares untrusted HTML for an inert frame. Three layers of protection, each sufficient alone: the sanitizer removes
 * active content, the frame is sandboxed without permissions, and its content security policy blocks all requests.
 */
import DOMPurify from "dompurify";

/** Content security policy of the frame. The frame also inherits the page's policy; requests must pass both. */
export const FRAME_POLICY = [
  "default-src 'none'",
  "img-src data:",
  "media-src data:",
  "font-src data:",
  "style-src 'unsafe-inline'",
  "form-action 'none'",
  "base-uri 'none'",
].join("; ");

const FORBIDDEN_TAGS = ["base", "link", "meta", "iframe", "object", "embed", "form", "noscript", "template"];
const LINK_TAGS = ["A", "AREA"];
/** Browsers nest no deeper than 512 elements, and take long to sanitize and lay out such documents. */
const MAX_DEPTH = 500;

const purify = DOMPurify();

purify.addHook("afterSanitizeAttributes", (node) => {
  // Keep only links within the document: the frame must not navigate.
  if (LINK_TAGS.includes(node.nodeName) && !node.getAttribute("href")?.startsWith("#")) node.removeAttribute("href");
  // Without a focusable element, Tab skips the frame, and keyboard users could not scroll it.
  if (node.nodeName === "BODY") node.setAttribute("tabindex", "0");
});

/** Sanitize HTML and return a complete document for `srcdoc`, or null if it is nested too deeply to be laid out quickly. */
export function toSandboxedDocument(html: string): string | null {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  // A tree walker, because the names of untrusted elements can hide the properties of their document.
  const walker = document.createTreeWalker(parsed, NodeFilter.SHOW_ELEMENT);
  const root = walker.firstChild();
  if (!root || isTooDeep(walker)) return null;
  const safe = purify.sanitize(root, {
    WHOLE_DOCUMENT: true,
    FORCE_BODY: false,
    ADD_TAGS: ["head", "style", "title"],
    FORBID_TAGS: FORBIDDEN_TAGS,
    FORBID_CONTENTS: ["script", "noscript", "template", "iframe", "object"],
  });
  const policy = `<meta http-equiv="Content-Security-Policy" content="${FRAME_POLICY}">`;
  return `<!doctype html><meta charset="utf-8">${policy}${safe}`;
}

function isTooDeep(walker: TreeWalker): boolean {
  for (let depth = 0; depth <= MAX_DEPTH; ) {
    if (walker.firstChild()) {
      depth += 1;
      continue;
    }
    while (!walker.nextSibling()) {
      if (!walker.parentNode()) return false;
      depth -= 1;
    }
  }
  return true;
}
