/** Sorting and charts of a column. Pure; runs in a worker. */

export type Direction = "ascending" | "descending";
type Cells = Iterable<[row: number, cell: string]>;

/** The rows are divided into at most 400 buckets of equal size; each bucket with a number has one value in each list. */
export interface LineChart {
  kind: "line";
  min: number[];
  mean: number[];
  max: number[];
  /** Number of rows. */
  rows: number;
}

export interface BarChart {
  kind: "bars";
  bars: { label: string; count: number }[];
  /** Number of rows with other values. */
  others: number;
}

export type Chart = LineChart | BarChart;

const MAX_BUCKETS = 400;
const MAX_BARS = 12;
/** Share of the cells that must be numbers for a line chart. */
const MIN_NUMERIC_SHARE = 0.9;
const THOUSANDS_SEPARATOR = /(?<=\d)[\s\u00a0\u202f'](?=\d{3}\b)/g;

/** Parse a cell as a number; NaN if it is not one, or empty. */
export function parseNumber(cell: string): number {
  const text = cell.trim();
  if (text === "") return Number.NaN;
  const number = Number(text);
  return Number.isNaN(number) ? Number(text.replace(THOUSANDS_SEPARATOR, "")) : number;
}

/** Return the rows sorted by their cells: numerically if all are numbers, else alphabetically; empty cells last. */
export function sortRows(cells: Cells, direction: Direction): Uint32Array {
  const rows: number[] = [];
  const texts: string[] = [];
  for (const [row, cell] of cells) {
    rows.push(row);
    texts.push(cell.trim());
  }
  const ranks = computeRanks(texts);
  const sign = direction === "ascending" ? 1 : -1;
  const indexes = Uint32Array.from(rows.keys());
  indexes.sort((one, other) => compare(ranks[one], ranks[other], sign) || one - other);
  return indexes.map((index) => rows[index] ?? 0);
}

function compare(one: number | undefined, other: number | undefined, sign: number): number {
  const [a = Number.NaN, b = Number.NaN] = [one, other];
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return sign * (a - b);
}

/** Return a sort rank per text; NaN for empty ones. Ranks avoid collating equal texts repeatedly, which is slow. */
function computeRanks(texts: string[]): Float64Array {
  const numbers = Float64Array.from(texts, parseNumber);
  if (texts.every((text, index) => text === "" || !Number.isNaN(numbers[index]))) return numbers;
  const sorted = [...new Set(texts)].sort(new Intl.Collator().compare);
  const ranks = new Map(sorted.map((text, rank) => [text, text === "" ? Number.NaN : rank]));
  return Float64Array.from(texts, (text) => ranks.get(text) ?? Number.NaN);
}

/** Compute the chart of a column: a line if nearly all cells are numbers, else bars with the count of each value. */
export function computeChart(cells: Cells, rows: number): Chart {
  const buckets = new Buckets(rows);
  const counts = new Map<string, number>();
  let numbers = 0;
  let filled = 0;
  let index = 0;
  for (const [, cell] of cells) {
    const value = parseNumber(cell);
    if (cell.trim() !== "") filled += 1;
    if (!Number.isNaN(value)) {
      numbers += 1;
      buckets.add(index, value);
    }
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
    index += 1;
  }
  return numbers > 0 && numbers >= filled * MIN_NUMERIC_SHARE ? buckets.toChart() : toBarChart(counts);
}

/** Minimum, mean and maximum of the values in each bucket of rows. */
class Buckets {
  private readonly size: number;
  private readonly min: Float64Array;
  private readonly max: Float64Array;
  private readonly sum: Float64Array;
  private readonly count: Float64Array;

  constructor(private readonly rows: number) {
    this.size = Math.max(1, Math.min(MAX_BUCKETS, rows));
    this.min = new Float64Array(this.size).fill(Number.POSITIVE_INFINITY);
    this.max = new Float64Array(this.size).fill(Number.NEGATIVE_INFINITY);
    this.sum = new Float64Array(this.size);
    this.count = new Float64Array(this.size);
  }

  add(row: number, value: number): void {
    const bucket = Math.min(this.size - 1, Math.floor((row * this.size) / Math.max(1, this.rows)));
    this.min[bucket] = Math.min(this.min[bucket] ?? value, value);
    this.max[bucket] = Math.max(this.max[bucket] ?? value, value);
    this.sum[bucket] = (this.sum[bucket] ?? 0) + value;
    this.count[bucket] = (this.count[bucket] ?? 0) + 1;
  }

  toChart(): LineChart {
    const hasValues = (_: number, bucket: number) => (this.count[bucket] ?? 0) > 0;
    const mean = this.sum.map((sum, bucket) => sum / (this.count[bucket] || 1));
    const compact = (values: Float64Array) => Array.from(values.filter(hasValues));
    return { kind: "line", min: compact(this.min), mean: compact(mean), max: compact(this.max), rows: this.rows };
  }
}

function toBarChart(counts: Map<string, number>): BarChart {
  const byCount = [...counts].sort(([, one], [, other]) => other - one);
  return {
    kind: "bars",
    bars: byCount.slice(0, MAX_BARS).map(([label, count]) => ({ label, count })),
    others: byCount.slice(MAX_BARS).reduce((sum, [, count]) => sum + count, 0),
  };
}
