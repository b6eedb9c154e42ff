import { useCallback, useEffect, useRef, useState } from "react";

import { PausableButton } from "../../shared/PausableButton";
import { Rows } from "../Rows";
import type { Direction } from "./columns";
import type { Progress } from "./protocol";
import type { TableClient } from "./tableClient";
import { widthsOf } from "./widths";

const ROW_HEIGHT = 28;
const MOST_COLUMNS = 200;

interface Part {
  from: number;
  rows: string[][];
}

interface Sorting {
  column: number;
  direction: Direction;
}

interface TableRowsProps {
  title: string;
  client: TableClient;
  progress: Progress;
}

/** The rows that are seen, under headings that sort. */
export function TableRows({ title, client, progress }: TableRowsProps) {
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const [busy, setBusy] = useState(false);
  const [order, setOrder] = useState(0);
  const [seen, setSeen] = useState({ from: 0, to: 0 });
  const part = usePart(client, seen, `${order}/${Math.min(progress.rows, seen.to)}`);
  const columns = progress.columns.slice(0, MOST_COLUMNS);
  const widths = useRef<string>(undefined);
  if (!widths.current && part.rows.length > 0) widths.current = widthsOf(columns, part.rows);
  const look = useCallback((from: number, to: number) => setSeen({ from, to }), []);
  const sort = async (column: number) => {
    const again = sorting?.column === column && sorting.direction === "ascending";
    const wanted: Sorting = { column, direction: again ? "descending" : "ascending" };
    setBusy(true);
    await client.ask({ ask: "sort", ...wanted }).finally(() => setBusy(false));
    setSorting(wanted);
    setOrder((count) => count + 1);
  };
  const head = (
    <div className="table-head" style={{ gridTemplateColumns: widths.current }}>
      {columns.map((name, at) => (
        <SortButton
          key={at}
          name={name}
          direction={sorting?.column === at ? sorting.direction : null}
          paused={!progress.done || busy}
          onClick={() => sort(at)}
        />
      ))}
    </div>
  );
  return (
    <>
      {busy && <p className="viewer-cut" role="status">Sorting…</p>}
      <Rows className="table-rows" label={title} count={progress.rows} rowHeight={ROW_HEIGHT} head={head} onWindow={look}>
        {(from, to) => <Body part={part} from={from} to={to} columns={columns.length} widths={widths.current} />}
      </Rows>
    </>
  );
}

interface SortButtonProps {
  name: string;
  direction: Direction | null;
  paused: boolean;
  onClick(): void;
}

function SortButton({ name, direction, paused, onClick }: SortButtonProps) {
  const mark = direction === "ascending" ? " ▲" : direction === "descending" ? " ▼" : "";
  const says = direction ? `${name}, sorted ${direction}` : `${name}, sort`;
  return (
    <PausableButton className="plain" aria-label={says} title={name} paused={paused} onClick={onClick}>
      {name}
      {mark}
    </PausableButton>
  );
}

interface BodyProps {
  part: Part;
  from: number;
  to: number;
  columns: number;
  widths: string | undefined;
}

/** Rows that have not come yet are drawn empty, so that nothing moves when they do. */
function Body({ part, from, to, columns, widths }: BodyProps) {
  const rows = Array.from({ length: to - from }, (_, at) => part.rows[from + at - part.from]);
  return rows.map((cells, at) => (
    <div key={from + at} className="table-row" style={{ gridTemplateColumns: widths }}>
      {cells && Array.from({ length: columns }, (_, column) => <Cell key={column} text={cells[column] ?? ""} />)}
    </div>
  ));
}

const MOST_CHARACTERS = 300;

function Cell({ text }: { text: string }) {
  return <span title={text.length > 30 ? text.slice(0, 2_000) : undefined}>{text.slice(0, MOST_CHARACTERS)}</span>;
}

/** Ask for the rows that are seen; while an answer is on its way, only the newest question waits. */
function usePart(client: TableClient, seen: { from: number; to: number }, occasion: string): Part {
  const [part, setPart] = useState<Part>({ from: 0, rows: [] });
  const asking = useRef(false);
  const next = useRef<{ from: number; to: number } | null>(null);
  useEffect(() => {
    next.current = seen;
    if (asking.current) return;
    const run = async () => {
      for (let wanted = next.current; wanted; wanted = next.current) {
        next.current = null;
        const rows = await client.ask({ ask: "rows", ...wanted });
        setPart({ from: wanted.from, rows });
      }
    };
    asking.current = true;
    void run().finally(() => {
      asking.current = false;
    });
  }, [client, seen, occasion]);
  return part;
}
