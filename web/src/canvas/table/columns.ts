/** What is made of a column: an order of the rows, a quick chart. Pure; runs in a worker. */

export type Direction = "ascending" | "descending";
type Cells = Iterable<[row: number, cell: string]>;

export interface LineChart {
  kind: "line";
  /** For each of as many stretches of the rows: the least, the mean and the greatest value. */
  least: number[];
  mean: number[];
  most: number[];
  rows: number;
}

export interface BarChart {
  kind: "bars";
  bars: { label: string; count: number }[];
  others: number;
}

export type Chart = LineChart | BarChart;

const MOST_POINTS = 400;
const MOST_BARS = 12;
const SPACED_THOUSANDS = /(?<=\d)[\s\u00a0\u202f'](?=\d{3}\b)/g;

/** Read a cell as a number; NaN where it is none or empty. */
export function numberOf(cell: string): number {
  const text = cell.trim();
  if (text === "") return Number.NaN;
  const plain = Number(text);
  return Number.isNaN(plain) ? Number(text.replace(SPACED_THOUSANDS, "")) : plain;
}

/** Return the rows in the order of their cells: numbers by size if all are, else by the alphabet; empty cells last. */
export function sortedRows(cells: Cells, direction: Direction): Uint32Array {
  const rows: number[] = [];
  const texts: string[] = [];
  for (const [row, cell] of cells) {
    rows.push(row);
    texts.push(cell.trim());
  }
  const ranks = ranksOf(texts);
  const sign = direction === "ascending" ? 1 : -1;
  const places = Uint32Array.from(rows.keys());
  places.sort((one, other) => compare(ranks[one], ranks[other], sign) || one - other);
  return places.map((place) => rows[place] ?? 0);
}

function compare(one: number | undefined, other: number | undefined, sign: number): number {
  const [a = Number.NaN, b = Number.NaN] = [one, other];
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return sign * (a - b);
}

/** Give each text a number to sort by; NaN for none. Comparing texts by language is slow: each text once. */
function ranksOf(texts: string[]): Float64Array {
  const numbers = Float64Array.from(texts, numberOf);
  if (texts.every((text, at) => text === "" || !Number.isNaN(numbers[at]))) return numbers;
  const alphabet = [...new Set(texts)].sort(new Intl.Collator().compare);
  const ranks = new Map(alphabet.map((text, rank) => [text, text === "" ? Number.NaN : rank]));
  return Float64Array.from(texts, (text) => ranks.get(text) ?? Number.NaN);
}

/** Draw a column: numbers as a line over the rows, anything else by how often each value stands there. */
export function chartOf(cells: Cells, rows: number): Chart {
  const line = new Line(rows);
  const counts = new Map<string, number>();
  let numbers = 0;
  let filled = 0;
  let place = 0;
  for (const [, cell] of cells) {
    const value = numberOf(cell);
    if (cell.trim() !== "") filled += 1;
    if (!Number.isNaN(value)) {
      numbers += 1;
      line.add(place, value);
    }
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
    place += 1;
  }
  return numbers > 0 && numbers >= filled * 0.9 ? line.chart() : bars(counts);
}

class Line {
  private readonly points: number;
  private readonly least: Float64Array;
  private readonly most: Float64Array;
  private readonly sum: Float64Array;
  private readonly count: Float64Array;

  constructor(private readonly rows: number) {
    this.points = Math.max(1, Math.min(MOST_POINTS, rows));
    this.least = new Float64Array(this.points).fill(Number.POSITIVE_INFINITY);
    this.most = new Float64Array(this.points).fill(Number.NEGATIVE_INFINITY);
    this.sum = new Float64Array(this.points);
    this.count = new Float64Array(this.points);
  }

  add(place: number, value: number): void {
    const at = Math.min(this.points - 1, Math.floor((place * this.points) / Math.max(1, this.rows)));
    this.least[at] = Math.min(this.least[at] ?? value, value);
    this.most[at] = Math.max(this.most[at] ?? value, value);
    this.sum[at] = (this.sum[at] ?? 0) + value;
    this.count[at] = (this.count[at] ?? 0) + 1;
  }

  chart(): LineChart {
    const has = (_: number, at: number) => (this.count[at] ?? 0) > 0;
    const mean = this.sum.map((sum, at) => sum / (this.count[at] || 1));
    const filled = (values: Float64Array) => Array.from(values.filter(has));
    return { kind: "line", least: filled(this.least), mean: filled(mean), most: filled(this.most), rows: this.rows };
  }
}

function bars(counts: Map<string, number>): BarChart {
  const falling = [...counts].sort(([, one], [, other]) => other - one);
  return {
    kind: "bars",
    bars: falling.slice(0, MOST_BARS).map(([label, count]) => ({ label, count })),
    others: falling.slice(MOST_BARS).reduce((sum, [, count]) => sum + count, 0),
  };
}
