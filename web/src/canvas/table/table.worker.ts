/** Reads a table of any size off the main thread: streams it, returns rows, sorts, and computes charts. */
import { fetchContent } from "../content";
import { computeChart, sortRows } from "./columns";
import { DelimitedTable, detectFormat } from "./delimited";
import type { MessageFromWorker, MessageToWorker, TableRequest, TableResults, TableSource } from "./protocol";

const MAX_BYTES = 192 << 20;
const PROGRESS_INTERVAL_MS = 150;
/** A character of another encoding takes at most three times as many bytes in UTF-8. */
const MAX_UTF8_GROWTH = 3;

let table: DelimitedTable | undefined;

onmessage = ({ data }: MessageEvent<MessageToWorker>) => {
  if (data.type === "open") {
    open(data.source).catch((error: unknown) => send({ type: "error", message: String(error) }));
    return;
  }
  try {
    send({ type: "result", id: data.id, result: handleRequest(data) });
  } catch (error) {
    send({ type: "error", id: data.id, message: String(error) });
  }
};

function send(message: MessageFromWorker): void {
  postMessage(message);
}

interface OpenTable {
  body: ReadableStream<Uint8Array>;
  size: number;
  mime: string;
  isComplete: boolean;
}

async function openSource(source: TableSource): Promise<OpenTable> {
  if ("text" in source) {
    const blob = new Blob([source.text]);
    return { body: blob.stream(), size: blob.size, mime: "text/csv", isComplete: true };
  }
  const { response, isComplete } = await fetchContent(source.url, source.size, MAX_BYTES);
  return { ...source, body: response.body ?? new Blob().stream(), isComplete };
}

async function open(source: TableSource): Promise<void> {
  const { body, size, mime, isComplete } = await openSource(source);
  const reader = body.getReader();
  let toUtf8: ((chunk: Uint8Array) => Uint8Array) | undefined;
  let truncated = !isComplete;
  let lastReport = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (!table || !toUtf8) {
      const format = detectFormat(part.value, mime);
      toUtf8 = createUtf8Converter(format.encoding);
      table = new DelimitedTable(format, getCapacity(size, format.encoding));
    }
    const chunk = toUtf8(part.value);
    if (table.append(chunk) < chunk.length) {
      truncated = true;
      await reader.cancel();
      break;
    }
    if (performance.now() - lastReport > PROGRESS_INTERVAL_MS) {
      lastReport = performance.now();
      reportProgress(false, truncated);
    }
  }
  table?.close(!truncated);
  reportProgress(true, truncated);
}

function reportProgress(done: boolean, truncated: boolean): void {
  send({ type: "progress", progress: { columns: table?.columns ?? [], rows: table?.count ?? 0, done, truncated } });
}

/** Return the number of bytes that the table needs in UTF-8, up to the maximum. */
function getCapacity(size: number, encoding: string): number {
  return Math.min(MAX_BYTES, encoding === "utf-8" ? size : size * MAX_UTF8_GROWTH);
}

/** Return a function that converts chunks of a text to UTF-8. */
function createUtf8Converter(encoding: string): (chunk: Uint8Array) => Uint8Array {
  if (encoding === "utf-8") return (chunk) => chunk;
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  return (chunk) => encoder.encode(decoder.decode(chunk, { stream: true }));
}

function handleRequest(request: TableRequest): TableResults[keyof TableResults] {
  if (!table) throw new Error("The table is not open.");
  switch (request.method) {
    case "rows":
      return {
        numbers: [...table.getNumbers(request.from, request.to)],
        rows: table.getRows(request.from, request.to),
      };
    case "find":
      return table.find(request.text);
    case "sort":
      table.setOrder(sortRows(table.getCells(request.column), request.direction));
      return null;
    case "chart":
      return computeChart(table.getCells(request.column), table.count);
  }
}
