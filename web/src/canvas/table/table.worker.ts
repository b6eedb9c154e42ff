/** Reads a table of any size without the page: streams it, answers for rows, sorts, counts. */
import { openHead } from "../content";
import { chartOf, sortedRows } from "./columns";
import { Delimited, guessForm } from "./delimited";
import type { Answers, FromWorker, Question, ToWorker } from "./protocol";

const MOST_BYTES = 192 << 20;
const TOLD_MS = 150;

let table: Delimited | undefined;

onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "open") {
    open(data.address, data.size, data.mime).catch((error: unknown) => tell({ type: "failed", message: String(error) }));
    return;
  }
  try {
    tell({ type: "answer", id: data.id, answer: answer(data) });
  } catch (error) {
    tell({ type: "failed", id: data.id, message: String(error) });
  }
};

function tell(message: FromWorker): void {
  postMessage(message);
}

async function open(address: string, size: number, mime: string): Promise<void> {
  const { answer, whole } = await openHead(address, size, MOST_BYTES);
  const reader = (answer.body ?? new Blob().stream()).getReader();
  let recode: ((chunk: Uint8Array) => Uint8Array) | undefined;
  let cut = !whole;
  let told = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (!table || !recode) {
      const form = guessForm(part.value, mime);
      recode = recoder(form.encoding);
      table = new Delimited(form, capacity(size, form.encoding));
    }
    const chunk = recode(part.value);
    if (table.feed(chunk) < chunk.length) {
      cut = true;
      await reader.cancel();
      break;
    }
    if (performance.now() - told > TOLD_MS) {
      told = performance.now();
      progress(false, cut);
    }
  }
  table?.close(!cut);
  progress(true, cut);
}

function progress(done: boolean, cut: boolean): void {
  tell({ type: "progress", progress: { columns: table?.columns ?? [], rows: table?.count ?? 0, done, cut } });
}

function capacity(size: number, encoding: string): number {
  return Math.min(MOST_BYTES, encoding === "utf-8" ? size : size * 3);
}

/** Return what turns an encoding into UTF-8, a chunk at a time. */
function recoder(encoding: string): (chunk: Uint8Array) => Uint8Array {
  if (encoding === "utf-8") return (chunk) => chunk;
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  return (chunk) => encoder.encode(decoder.decode(chunk, { stream: true }));
}

function answer(question: Question): Answers[keyof Answers] {
  if (!table) throw new Error("The table is not open.");
  switch (question.ask) {
    case "rows":
      return table.rows(question.from, question.to);
    case "sort":
      table.arrange(sortedRows(table.cells(question.column), question.direction));
      return null;
    case "chart":
      return chartOf(table.cells(question.column), table.count);
  }
}
