/** Markdown as HTML that is not sanitized yet, block by block. Works without the DOM, so that workers can use it. Pure. */
import { Lexer, Marked, type TokenizerAndRendererExtension } from "marked";

export interface MarkdownBlock {
  html: string;
  source: string;
}

/** Pairing more marks in one text would block the page; such a text is plain. */
const MAX_MARKS = 1_000;
const MARK = /[*_~$[(]/g;

const TEX_TAGS = { block: "div", inline: "span" } as const;

/** Return an extension for formulas between two delimiters. The formula is drawn later, by `drawMath`. */
function mathExtension(level: "block" | "inline", name: string, start: RegExp, pattern: RegExp): TokenizerAndRendererExtension {
  return {
    name,
    level,
    start: (text) => start.exec(text)?.index,
    tokenizer(text) {
      const match = pattern.exec(text);
      return match ? { type: name, raw: match[0], text: (match[1] ?? "").trim() } : undefined;
    },
    renderer: ({ text }) => `<${TEX_TAGS[level]} data-math="${level}">${escapeHtml(String(text))}</${TEX_TAGS[level]}>`,
  };
}

const MATH_EXTENSIONS = [
  mathExtension("block", "mathBlock", /\n {0,3}\$\$/, /^ {0,3}\$\$([^$]{1,4000})\$\$(?:\s*\n|\s*$)/),
  mathExtension("block", "texBlock", /\n {0,3}\\\[/, /^ {0,3}\\\[([\s\S]{1,4000}?)\\\](?:\s*\n|\s*$)/),
  mathExtension("inline", "mathInline", /\$/, /^\$(?![\s$])([^$\n]{1,1000}?)(?<![\s\\])\$(?!\d)/),
  mathExtension("inline", "texInline", /\\\(/, /^\\\(([^\n]{1,1000}?)\\\)/),
];

const FOOTNOTES: TokenizerAndRendererExtension[] = [
  {
    name: "footnote",
    level: "block",
    start: (text) => /\n\[\^/.exec(text)?.index,
    tokenizer(text) {
      const match = /^\[\^([^\]\s]{1,30})\]:[ \t]*([^\n]+)(?:\n+|$)/.exec(text);
      if (!match) return undefined;
      return { type: "footnote", raw: match[0], label: match[1], tokens: this.lexer.inline(match[2] ?? "") };
    },
    renderer(token) {
      return `<p><sup>${escapeHtml(String(token["label"]))}</sup> ${this.parser.parseInline(token.tokens ?? [])}</p>`;
    },
  },
  {
    name: "footnoteMark",
    level: "inline",
    start: (text) => text.indexOf("[^"),
    tokenizer(text) {
      const match = /^\[\^([^\]\s]{1,30})\]/.exec(text);
      return match ? { type: "footnoteMark", raw: match[0], text: match[1] } : undefined;
    },
    renderer: ({ text }) => `<sup>${escapeHtml(String(text))}</sup>`,
  },
];

function createParser(breaks: boolean): Marked {
  return new Marked({
    gfm: true,
    breaks,
    extensions: [...MATH_EXTENSIONS, ...FOOTNOTES],
    renderer: {
      code({ text, lang }) {
        const language = /^[\w+-]{1,20}/.exec(lang ?? "")?.[0] ?? "";
        return `<pre><code data-language="${language}">${escapeHtml(text)}</code></pre>\n`;
      },
      // Not a checkbox: it could not be used, and forms are removed from the text of models.
      checkbox: ({ checked }) => `<span data-task="${checked ? "done" : "open"}">${checked ? "☑" : "☐"}</span> `,
    },
  });
}

const PARSERS = { chat: createParser(true), document: createParser(false) };

/**
 * Parse Markdown. All blocks know the link definitions of the whole text. In a `chat`, a line break is a line break; in a
 * `document`, it continues the paragraph.
 */
export function parseMarkdown(text: string, kind: keyof typeof PARSERS): MarkdownBlock[] {
  const parser = PARSERS[kind];
  const lexer = new Lexer(parser.defaults);
  lexer.blockTokens(text.replace(/\r\n|\r/g, "\n"), lexer.tokens);
  for (let next = lexer.inlineQueue.shift(); next; next = lexer.inlineQueue.shift()) {
    if (isKnotted(next.src)) next.tokens.push({ type: "text", raw: next.src, text: next.src, escaped: false });
    else lexer.inlineTokens(next.src, next.tokens);
  }
  const blocks = lexer.tokens.map((token) => ({ html: parser.parser([token]), source: token.raw }));
  return blocks.filter(({ html }) => html !== "");
}

function isKnotted(text: string): boolean {
  return (text.match(MARK)?.length ?? 0) > MAX_MARKS;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
