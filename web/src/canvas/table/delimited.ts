/** A delimited text held as bytes (UTF-8): its columns, any of its rows, an order of them. Runs in a worker. */
import Papa from "papaparse";

import { isBlank, RowIndex } from "./rowIndex";

const GUESSED_BYTES = 64 << 10;
const GUESSED_ROWS = 20;
const CARRIAGE_RETURN = "\r".charCodeAt(0);

export interface Form {
  delimiter: string;
  newline: "\n" | "\r" | "\r\n";
  /** What its bytes are; they are to be UTF-8 when they are fed. */
  encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";
}

/** Find out how a text is written, from its first bytes. */
export function guessForm(head: Uint8Array, mime: string): Form {
  const encoding = guessEncoding(head);
  const text = new TextDecoder(encoding).decode(head.subarray(0, GUESSED_BYTES));
  const guessed = Papa.parse<string[]>(text, { preview: GUESSED_ROWS, skipEmptyLines: true });
  const newline = text.includes("\r\n") ? "\r\n" : text.includes("\n") ? "\n" : text.includes("\r") ? "\r" : "\n";
  const isTabbed = mime.startsWith("text/tab-separated-values");
  return { delimiter: isTabbed ? "\t" : guessed.meta.delimiter, newline, encoding };
}

function guessEncoding(head: Uint8Array): Form["encoding"] {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  try {
    // As a stream: the last character may be cut.
    new TextDecoder("utf-8", { fatal: true }).decode(head.subarray(0, GUESSED_BYTES), { stream: true });
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

export class Delimited {
  columns: string[] = [];
  private readonly bytes: Uint8Array;
  private readonly index: RowIndex;
  private readonly decoder = new TextDecoder();
  /** The rows below the heading that are not blank, in the order in which they are shown. */
  private order = new Uint32Array(1 << 16);
  private listed = 0;
  private seen = 0;
  private length = 0;

  constructor(
    private readonly form: Form,
    capacity: number,
  ) {
    this.bytes = new Uint8Array(capacity);
    const newline = form.newline === "\r" ? CARRIAGE_RETURN : undefined;
    this.index = new RowIndex(form.delimiter.charCodeAt(0), newline);
  }

  /** Rows that can be shown. */
  get count(): number {
    return this.listed;
  }

  /** Take bytes that follow; what is beyond the capacity is left out. Returns how many were taken. */
  feed(chunk: Uint8Array): number {
    const taken = chunk.subarray(0, this.bytes.length - this.length);
    this.bytes.set(taken, this.length);
    this.length += taken.length;
    this.index.feed(taken);
    this.list();
    return taken.length;
  }

  /** Nothing follows. A row that was cut off, since not all was fed, is left out. */
  close(whole: boolean): void {
    if (whole) this.index.close();
    this.list();
  }

  /** Return the cells of rows as they are shown, from one place to before another. */
  rows(from: number, to: number): string[][] {
    return this.parse(this.order.subarray(Math.max(0, from), Math.min(to, this.listed)));
  }

  /** Go through one column, in the order of the file. */
  *cells(column: number): Generator<[row: number, cell: string]> {
    const block = 4096;
    const inFile = this.order.slice(0, this.listed).sort();
    for (let from = 0; from < inFile.length; from += block) {
      const rows = inFile.subarray(from, from + block);
      for (const [at, cells] of this.parse(rows).entries()) yield [rows[at] ?? 0, cells[column] ?? ""];
    }
  }

  /** Show the rows in this order from now on. */
  arrange(order: Uint32Array): void {
    this.order.set(order);
  }

  private list(): void {
    for (; this.seen < this.index.count; this.seen += 1) {
      const bounds = this.index.bounds(this.seen);
      if (isBlank(this.bytes, bounds)) continue;
      if (this.columns.length === 0) this.columns = this.parse(Uint32Array.of(this.seen))[0] ?? [];
      else this.append(this.seen);
    }
  }

  private append(row: number): void {
    if (this.listed === this.order.length) {
      const longer = new Uint32Array(this.order.length * 2);
      longer.set(this.order);
      this.order = longer;
    }
    this.order[this.listed] = row;
    this.listed += 1;
  }

  /** Parse rows: those that lie together at once, which is a hundred times quicker than one by one. */
  private parse(rows: Uint32Array): string[][] {
    const first = rows[0];
    if (first === undefined) return [];
    if (rows.every((row, at) => row === first + at)) {
      const last = first + rows.length - 1;
      const parsed = this.parseText(this.text(this.index.bounds(first)[0], this.index.bounds(last)[1]));
      if (parsed.length === rows.length) return parsed;
    }
    return Array.from(rows, (row) => this.parseText(this.text(...this.index.bounds(row)))[0] ?? []);
  }

  private parseText(text: string): string[][] {
    const { delimiter, newline } = this.form;
    return Papa.parse<string[]>(text, { delimiter, newline }).data;
  }

  private text(start: number, end: number): string {
    return this.decoder.decode(this.bytes.subarray(start, end)).replace(/(?:\r\n|\n|\r)$/, "");
  }
}
