/** Tells Markdown from other text, such as JSON, logs and aligned columns, which Markdown would garble. Pure. */

const MAX_CHARS = 64_000; // rendering more would block the page

/** Each pattern matches the start of a line that means something in Markdown and rarely occurs elsewhere. */
const MARKDOWN_LINES: readonly RegExp[] = [
  /^ {0,3}#{1,6} +\S/, // heading
  /^ {0,3}\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?$/, // line below the head of a table
  /^ {0,3}(?:```|~~~)/, // code
  /^ {0,3}(?:[-*+]|\d{1,9}[.)]) +\S/, // list
];
const MARKDOWN_INLINE = /\*\*[^\s*](?:[^*\n]{0,200}[^\s*])?\*\*|\[[^[\]\n]{1,200}\]\(https?:[^\s()]{1,2000}\)/; // bold, link

/** Return True if a text is Markdown and not JSON, and short enough to be rendered. */
export function isMarkdown(text: string): boolean {
  if (text.length > MAX_CHARS || isJson(text)) return false;
  return MARKDOWN_INLINE.test(text) || text.split("\n").some((line) => MARKDOWN_LINES.some((one) => one.test(line)));
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
