/** Turns Markdown into HTML, block by block. Some texts take a parser minutes: the page waits for none of them. */
import { Marked } from "marked";

const marked = new Marked({ gfm: true });

export interface Block {
  /** Not safe yet: the sanitiser needs the page. */
  html: string;
  source: string;
}

onmessage = ({ data }: MessageEvent<string>) => {
  const blocks: Block[] = marked.lexer(data).map((token) => ({ html: marked.parser([token]), source: token.raw }));
  postMessage(blocks.filter(({ html }) => html !== ""));
};
