import { useRef, useState } from "react";

import { useAsync } from "../useAsync";
import { useWidth } from "../useWidth";
import type { BarChart, LineChart } from "./columns";
import type { TableClient } from "./tableClient";
import { getTicks } from "./ticks";

/** Height of the plot, and the space around it, which has the numbers of the axes. Pixels. */
const HEIGHT = 150;
const LEFT = 64;
const RIGHT = 8;
const ABOVE = 8;
const BELOW = 22;
const TICKS = 4;

interface ColumnChartProps {
  client: TableClient;
  columns: readonly string[];
}

/** Chart of one column: a line for numbers, else bars with the count of each value. */
export function ColumnChart({ client, columns }: ColumnChartProps) {
  const [column, setColumn] = useState(() => Math.min(1, columns.length - 1));
  const state = useAsync(String(column), () => client.request({ method: "chart", column }));
  const name = columns[column] ?? "";
  return (
    <figure className="column-chart">
      <label>
        Column{" "}
        <select value={column} onChange={(event) => setColumn(Number(event.target.value))}>
          {columns.map((each, index) => (
            <option key={index} value={index}>
              {each}
            </option>
          ))}
        </select>
      </label>
      {state.status === "loading" && <p role="status">Loading…</p>}
      {state.status === "failed" && <p role="alert">{state.message}</p>}
      {state.status === "loaded" && state.value.kind === "line" && <LineChartView name={name} chart={state.value} />}
      {state.status === "loaded" && state.value.kind === "bars" && <BarChartView name={name} chart={state.value} />}
    </figure>
  );
}

function LineChartView({ name, chart }: { name: string; chart: LineChart }) {
  const box = useRef<HTMLDivElement>(null);
  const width = Math.max(0, useWidth(box) - LEFT - RIGHT);
  const min = Math.min(...chart.min);
  const max = Math.max(...chart.max);
  const rows = chart.rows.toLocaleString("en");
  const ticks = getTicks(min, max, TICKS);
  const range = { min: Math.min(min, ticks[0] ?? min), max: Math.max(max, ticks.at(-1) ?? max) };
  const toY = (value: number) => round(HEIGHT - ((value - range.min) / (range.max - range.min || 1)) * HEIGHT);
  return (
    <div ref={box}>
      <svg
        viewBox={`${-LEFT} ${-ABOVE} ${LEFT + width + RIGHT} ${ABOVE + HEIGHT + BELOW}`}
        height={ABOVE + HEIGHT + BELOW}
        role="img"
        aria-label={`Line chart of ${name} over the rows, from ${formatNumber(min)} to ${formatNumber(max)}`}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line className={tick === 0 ? "chart-zero" : "chart-grid"} x1={0} x2={width} y1={toY(tick)} y2={toY(tick)} />
            <text className="chart-tick" x={-8} y={toY(tick) + 4} textAnchor="end">
              {formatNumber(tick)}
            </text>
          </g>
        ))}
        <path className="chart-range" d={getAreaPath(chart.max, chart.min, range, width)} />
        <path className="chart-line" d={getLinePath(chart.mean, range, width)} />
        <text className="chart-tick" x={0} y={HEIGHT + 18}>
          row 1
        </text>
        <text className="chart-tick" x={width} y={HEIGHT + 18} textAnchor="end">
          row {rows}
        </text>
      </svg>
      <figcaption>
        {name}: {rows} rows, from {formatNumber(min)} to {formatNumber(max)}
      </figcaption>
    </div>
  );
}

function BarChartView({ name, chart }: { name: string; chart: BarChart }) {
  const max = Math.max(1, ...chart.bars.map((bar) => bar.count));
  return (
    <>
      <ol className="chart-bars">
        {chart.bars.map(({ label, count }) => (
          <li key={label}>
            <span className="chart-label">{label || "(empty)"}</span>
            <meter min={0} max={max} value={count} aria-label={label || "empty"} />
            <span>{count.toLocaleString("en")}</span>
          </li>
        ))}
      </ol>
      <figcaption>
        {name}: number of rows with each value
        {chart.others > 0 && `; ${chart.others.toLocaleString("en")} rows with other values`}
      </figcaption>
    </>
  );
}

interface ValueRange {
  min: number;
  max: number;
}

/** Return the SVG path of a line through values; the minimum is at the bottom. */
function getLinePath(values: readonly number[], range: ValueRange, width: number): string {
  return `M${getPoints(values, range, width).join(" L")}`;
}

/** Return the SVG path of the area between two lines. */
function getAreaPath(upper: readonly number[], lower: readonly number[], range: ValueRange, width: number): string {
  return `M${[...getPoints(upper, range, width), ...getPoints(lower, range, width).reverse()].join(" L")} Z`;
}

function getPoints(values: readonly number[], { min, max }: ValueRange, width: number): string[] {
  const span = max - min || 1;
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values.map((value, index) => `${round(index * step)},${round(HEIGHT - ((value - min) / span) * HEIGHT)}`);
}

function formatNumber(value: number): string {
  return value.toLocaleString("en", { maximumSignificantDigits: 6 });
}

/** Round to one decimal, to keep paths short. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
