/**
 * HTML of a tool, made ready for a frame in which nothing runs. Three walls, each enough by itself: the sanitiser takes
 * out what is active, the frame is sandboxed without any permission, and its own policy lets nothing be fetched.
 */
import DOMPurify from "dompurify";

/** Beside this the frame inherits the page's own policy; what is fetched must pass both. */
export const FRAME_POLICY = [
  "default-src 'none'",
  "img-src data:",
  "media-src data:",
  "font-src data:",
  "style-src 'unsafe-inline'",
  "form-action 'none'",
  "base-uri 'none'",
].join("; ");

const FORBIDDEN = ["base", "link", "meta", "iframe", "object", "embed", "form", "noscript", "template"];
const LINKS = ["A", "AREA"];

const purify = DOMPurify();

purify.addHook("afterSanitizeAttributes", (node) => {
  // Within a page they go on working; the frame itself goes nowhere.
  if (LINKS.includes(node.nodeName) && !node.getAttribute("href")?.startsWith("#")) node.removeAttribute("href");
  // Tab passes a frame by in which nothing takes the focus: nobody could scroll it by keys.
  if (node.nodeName === "BODY") node.setAttribute("tabindex", "0");
});

/** Return a whole document for `srcdoc`. */
export function framed(html: string): string {
  const safe = purify.sanitize(html, {
    WHOLE_DOCUMENT: true,
    FORCE_BODY: false,
    ADD_TAGS: ["head", "style", "title"],
    FORBID_TAGS: FORBIDDEN,
    FORBID_CONTENTS: ["script", "noscript", "template", "iframe", "object"],
  });
  const policy = `<meta http-equiv="Content-Security-Policy" content="${FRAME_POLICY}">`;
  return `<!doctype html><meta charset="utf-8">${policy}${safe}`;
}
