/** Converts Markdown to HTML, block by block. In a worker, because some texts keep the parser busy for minutes. */
import { Marked } from "marked";

const marked = new Marked({ gfm: true });

export interface Block {
  /** Not sanitized yet: the sanitizer needs the DOM, which workers lack. */
  html: string;
  source: string;
}

onmessage = ({ data }: MessageEvent<string>) => {
  const blocks: Block[] = marked.lexer(data).map((token) => ({ html: marked.parser([token]), source: token.raw }));
  postMessage(blocks.filter(({ html }) => html !== ""));
};
