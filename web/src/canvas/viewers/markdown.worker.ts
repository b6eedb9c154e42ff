/** Converts Markdown to HTML, block by block. In a worker, because some texts keep the parser busy for minutes. */
import { type MarkdownBlock, parseMarkdown } from "../../shared/parseMarkdown";

/** The HTML is not sanitized yet: the sanitizer needs the DOM, which workers lack. */
export type Block = MarkdownBlock;

/** The worker's messages: it is ready for the text, or the blocks of the text. */
export type FromWorker = "ready" | Block[];

const send = (message: FromWorker) => postMessage(message);

onmessage = ({ data }: MessageEvent<string>) => send(parseMarkdown(data, "document"));
send("ready");
