/** What the page and the worker of a table say to each other. */
import type { Chart, Direction } from "./columns";

export interface Progress {
  columns: string[];
  rows: number;
  /** Whether all is there that will be shown. */
  done: boolean;
  /** Whether the file holds more than is shown. */
  cut: boolean;
}

export type Question =
  | { ask: "rows"; from: number; to: number }
  | { ask: "sort"; column: number; direction: Direction }
  | { ask: "chart"; column: number };

export interface Answers {
  rows: string[][];
  sort: null;
  chart: Chart;
}

export type ToWorker =
  | { type: "open"; address: string; size: number; mime: string }
  | ({ type: "question"; id: number } & Question);

export type FromWorker =
  | { type: "progress"; progress: Progress }
  | { type: "answer"; id: number; answer: Answers[keyof Answers] }
  | { type: "failed"; message: string; id?: number };
