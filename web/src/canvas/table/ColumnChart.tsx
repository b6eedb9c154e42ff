import { useState } from "react";

import { useAsync } from "../useAsync";
import type { BarChart, LineChart } from "./columns";
import type { TableClient } from "./tableClient";
import { getTicks } from "./ticks";

/** Size of the plot, and of the space for the axes left of and below it. */
const WIDTH = 600;
const HEIGHT = 160;
const LEFT = 64;
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
  const min = Math.min(...chart.min);
  const max = Math.max(...chart.max);
  const rows = chart.rows.toLocaleString("en");
  const ticks = getTicks(min, max, TICKS);
  const range = { min: Math.min(min, ticks[0] ?? min), max: Math.max(max, ticks.at(-1) ?? max) };
  const toY = (value: number) => round(HEIGHT - ((value - range.min) / (range.max - range.min || 1)) * HEIGHT);
  return (
    <>
      <svg
        viewBox={`${-LEFT} -8 ${LEFT + WIDTH + 8} ${HEIGHT + BELOW + 8}`}
        role="img"
        aria-label={`Line chart of ${name} over the rows, from ${formatNumber(min)} to ${formatNumber(max)}`}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line className={tick === 0 ? "chart-zero" : "chart-grid"} x1={0} x2={WIDTH} y1={toY(tick)} y2={toY(tick)} />
            <text className="chart-tick" x={-8} y={toY(tick) + 4} textAnchor="end">
              {formatNumber(tick)}
            </text>
          </g>
        ))}
        <path className="chart-range" d={getAreaPath(chart.max, chart.min, range)} />
        <path className="chart-line" d={getLinePath(chart.mean, range)} />
        <text className="chart-tick" x={0} y={HEIGHT + 18}>
          row 1
        </text>
        <text className="chart-tick" x={WIDTH} y={HEIGHT + 18} textAnchor="end">
          row {rows}
        </text>
      </svg>
      <figcaption>
        {name}: {rows} rows, from {formatNumber(min)} to {formatNumber(max)}
      </figcaption>
    </>
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
function getLinePath(values: readonly number[], range: ValueRange): string {
  return `M${getPoints(values, range).join(" L")}`;
}

/** Return the SVG path of the area between two lines. */
function getAreaPath(upper: readonly number[], lower: readonly number[], range: ValueRange): string {
  return `M${[...getPoints(upper, range), ...getPoints(lower, range).reverse()].join(" L")} Z`;
}

function getPoints(values: readonly number[], { min, max }: ValueRange): string[] {
  const span = max - min || 1;
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0;
  return values.map((value, index) => `${round(index * step)},${round(HEIGHT - ((value - min) / span) * HEIGHT)}`);
}

function formatNumber(value: number): string {
  return value.toLocaleString("en", { maximumSignificantDigits: 6 });
}

/** Round to one decimal, to keep paths short. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
