/** Messages between the page and the table worker. */
import type { Chart, Direction } from "./columns";

export interface Progress {
  columns: string[];
  /** Number of rows read so far. */
  rows: number;
  /** True after the last row is read. */
  done: boolean;
  /** True if the file has more rows than are read. */
  truncated: boolean;
}

/** Rows in display order. */
export interface RowBlock {
  /** Number of each row in the file; the header is row 0. */
  numbers: number[];
  rows: string[][];
}

export type TableRequest =
  | { method: "rows"; from: number; to: number }
  | { method: "sort"; column: number; direction: Direction }
  | { method: "find"; text: string }
  | { method: "chart"; column: number };

/** Result type of each request method. */
export interface TableResults {
  rows: RowBlock;
  sort: null;
  /** Number of rows that contain the text. */
  find: number;
  chart: Chart;
}

/** A file of `size` bytes, or a text that is loaded already. */
export type TableSource = { url: string; size: number; mime: string } | { text: string };

export type MessageToWorker =
  | { type: "open"; source: TableSource }
  | ({ type: "request"; id: number } & TableRequest);

export type MessageFromWorker =
  | { type: "progress"; progress: Progress }
  | { type: "result"; id: number; result: TableResults[keyof TableResults] }
  | { type: "error"; message: string; id?: number };
