/** Converts Markdown to HTML, block by block. In a worker, because some texts keep the parser busy for minutes. */
import { type MarkdownBlock, parseMarkdown } from "../../shared/parseMarkdown";

/** The HTML is not sanitized yet: the sanitizer needs the DOM, which workers lack. */
export type Block = MarkdownBlock;

onmessage = ({ data }: MessageEvent<string>) => postMessage(parseMarkdown(data, "document"));
