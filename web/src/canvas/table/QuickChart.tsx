import { useState } from "react";

import { useLoaded } from "../useLoaded";
import type { BarChart, LineChart } from "./columns";
import { areaPath, type Frame, figure, linePath } from "./drawing";
import type { TableClient } from "./tableClient";

const WIDTH = 600;
const HEIGHT = 160;

interface QuickChartProps {
  client: TableClient;
  columns: readonly string[];
}

/** One column at a glance: numbers over the rows, or how often each value stands there. */
export function QuickChart({ client, columns }: QuickChartProps) {
  const [column, setColumn] = useState(() => Math.min(1, columns.length - 1));
  const loaded = useLoaded(String(column), () => client.ask({ ask: "chart", column }));
  const name = columns[column] ?? "";
  return (
    <figure className="quick-chart">
      <label>
        Column{" "}
        <select value={column} onChange={(event) => setColumn(Number(event.target.value))}>
          {columns.map((each, at) => (
            <option key={at} value={at}>
              {each}
            </option>
          ))}
        </select>
      </label>
      {loaded.state === "loading" && <p role="status">Counting…</p>}
      {loaded.state === "failed" && <p role="alert">{loaded.message}</p>}
      {loaded.state === "there" && loaded.value.kind === "line" && <LineOf name={name} chart={loaded.value} />}
      {loaded.state === "there" && loaded.value.kind === "bars" && <BarsOf name={name} chart={loaded.value} />}
    </figure>
  );
}

function LineOf({ name, chart }: { name: string; chart: LineChart }) {
  const least = Math.min(...chart.least);
  const most = Math.max(...chart.most);
  const frame: Frame = { least, most, width: WIDTH, height: HEIGHT };
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${name} over the rows, a line`}>
        <path className="chart-range" d={areaPath(chart.most, chart.least, frame)} />
        <path className="chart-line" d={linePath(chart.mean, frame)} />
      </svg>
      <figcaption>
        {name} over {chart.rows.toLocaleString("en")} rows: from {figure(least)} to {figure(most)}
      </figcaption>
    </>
  );
}

function BarsOf({ name, chart }: { name: string; chart: BarChart }) {
  const most = Math.max(1, ...chart.bars.map((bar) => bar.count));
  return (
    <>
      <ol className="chart-bars">
        {chart.bars.map(({ label, count }) => (
          <li key={label}>
            <span className="chart-label">{label || "(empty)"}</span>
            <meter min={0} max={most} value={count} aria-label={label || "empty"} />
            <span>{count.toLocaleString("en")}</span>
          </li>
        ))}
      </ol>
      <figcaption>
        How often each value of {name} stands there
        {chart.others > 0 && `; ${chart.others.toLocaleString("en")} others`}
      </figcaption>
    </>
  );
}
