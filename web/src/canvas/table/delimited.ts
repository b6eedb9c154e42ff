/** Delimited text, such as CSV, held as UTF-8 bytes; rows are parsed on demand. Runs in a worker. */
import Papa from "papaparse";

import { isBlank, RowIndex } from "./rowIndex";

const SAMPLE_BYTES = 64 << 10;
const SAMPLE_ROWS = 20;
const INITIAL_ROWS = 1 << 16;
const ROWS_PER_BLOCK = 4096;
const CARRIAGE_RETURN = "\r".charCodeAt(0);

export interface Format {
  delimiter: string;
  newline: "\n" | "\r" | "\r\n";
  /** Encoding of the file. The table itself takes UTF-8. */
  encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";
}

/** Detect delimiter, line ending and encoding from the first bytes of a file. */
export function detectFormat(head: Uint8Array, mime: string): Format {
  const encoding = detectEncoding(head);
  const sample = new TextDecoder(encoding).decode(head.subarray(0, SAMPLE_BYTES));
  const parsed = Papa.parse<string[]>(sample, { preview: SAMPLE_ROWS, skipEmptyLines: true });
  const newline = sample.includes("\r\n") ? "\r\n" : sample.includes("\n") ? "\n" : sample.includes("\r") ? "\r" : "\n";
  const isTsv = mime.startsWith("text/tab-separated-values");
  return { delimiter: isTsv ? "\t" : parsed.meta.delimiter, newline, encoding };
}

function detectEncoding(head: Uint8Array): Format["encoding"] {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  try {
    // With `stream`, an incomplete last character is not an error.
    new TextDecoder("utf-8", { fatal: true }).decode(head.subarray(0, SAMPLE_BYTES), { stream: true });
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

export class DelimitedTable {
  columns: string[] = [];
  private readonly bytes: Uint8Array;
  private readonly index: RowIndex;
  private readonly decoder = new TextDecoder();
  /** Rows below the header that are not blank, in display order. */
  private order = new Uint32Array(INITIAL_ROWS);
  private orderLength = 0;
  /** The rows that contain the searched text, in display order; null without a search. */
  private found: Uint32Array | null = null;
  private needle = "";
  /** Number of rows of the index that are processed. */
  private processed = 0;
  private length = 0;

  constructor(
    private readonly format: Format,
    capacity: number,
  ) {
    this.bytes = new Uint8Array(capacity);
    const newline = format.newline === "\r" ? CARRIAGE_RETURN : undefined;
    this.index = new RowIndex(format.delimiter.charCodeAt(0), newline);
  }

  /** Number of rows that can be shown. */
  get count(): number {
    return this.orderLength;
  }

  /** Append bytes up to the capacity. Return the number of bytes appended. */
  append(chunk: Uint8Array): number {
    const accepted = chunk.subarray(0, this.bytes.length - this.length);
    this.bytes.set(accepted, this.length);
    this.length += accepted.length;
    this.index.append(accepted);
    this.processRows();
    return accepted.length;
  }

  /** End the table. If the text is not complete, its last row may be cut off and is dropped. */
  close(isComplete: boolean): void {
    if (isComplete) this.index.close();
    this.processRows();
  }

  /** Return the cells of the rows from `from` up to, not including, `to`, in display order. */
  getRows(from: number, to: number): string[][] {
    return this.parseRows(this.getNumbers(from, to));
  }

  /** Return the numbers in the file of the rows from `from` up to, not including, `to`, in display order. */
  getNumbers(from: number, to: number): Uint32Array {
    const shown = this.found ?? this.order.subarray(0, this.orderLength);
    return shown.subarray(Math.max(0, from), Math.min(to, shown.length));
  }

  /** Show only the rows that contain a text, ignoring case; an empty text shows all. Return their number. */
  find(text: string): number {
    this.needle = text.toLowerCase();
    const rows = this.order.subarray(0, this.orderLength);
    const contains = (row: number) => this.decode(...this.index.getBounds(row)).toLowerCase().includes(this.needle);
    this.found = this.needle === "" ? null : rows.filter(contains);
    return (this.found ?? rows).length;
  }

  /** Yield the cells of a column, in file order. */
  *getCells(column: number): Generator<[row: number, cell: string]> {
    const fileOrder = this.order.slice(0, this.orderLength).sort();
    for (let from = 0; from < fileOrder.length; from += ROWS_PER_BLOCK) {
      const rows = fileOrder.subarray(from, from + ROWS_PER_BLOCK);
      for (const [index, cells] of this.parseRows(rows).entries()) yield [rows[index] ?? 0, cells[column] ?? ""];
    }
  }

  /** Set the display order. */
  setOrder(order: Uint32Array): void {
    this.order.set(order);
    if (this.found) this.find(this.needle);
  }

  /** Take the first row that is not blank as the header, and list the others for display. */
  private processRows(): void {
    for (; this.processed < this.index.count; this.processed += 1) {
      const bounds = this.index.getBounds(this.processed);
      if (isBlank(this.bytes, bounds)) continue;
      if (this.columns.length === 0) this.columns = this.parseRows(Uint32Array.of(this.processed))[0] ?? [];
      else this.addRow(this.processed);
    }
  }

  private addRow(row: number): void {
    if (this.orderLength === this.order.length) {
      const grown = new Uint32Array(this.order.length * 2);
      grown.set(this.order);
      this.order = grown;
    }
    this.order[this.orderLength] = row;
    this.orderLength += 1;
  }

  /** Parse rows. Adjacent rows are parsed together, a hundred times faster than one by one. */
  private parseRows(rows: Uint32Array): string[][] {
    const first = rows[0];
    if (first === undefined) return [];
    if (rows.every((row, index) => row === first + index)) {
      const last = first + rows.length - 1;
      const parsed = this.parseText(this.decode(this.index.getBounds(first)[0], this.index.getBounds(last)[1]));
      if (parsed.length === rows.length) return parsed;
    }
    return Array.from(rows, (row) => this.parseText(this.decode(...this.index.getBounds(row)))[0] ?? []);
  }

  private parseText(text: string): string[][] {
    const { delimiter, newline } = this.format;
    return Papa.parse<string[]>(text, { delimiter, newline }).data;
  }

  /** Return the text between two offsets, without a line ending at its end. */
  private decode(start: number, end: number): string {
    return this.decoder.decode(this.bytes.subarray(start, end)).replace(/(?:\r\n|\n|\r)$/, "");
  }
}
