import { useCallback, useEffect, useRef, useState } from "react";

import { Button } from "../../shared/Button";
import { VirtualList } from "../VirtualList";
import type { Direction } from "./columns";
import type { Progress } from "./protocol";
import type { TableClient } from "./tableClient";

const ROW_HEIGHT = 28;
const MAX_COLUMNS = 200;
const MAX_CELL_CHARACTERS = 300;
const MAX_TOOLTIP_CHARACTERS = 2_000;
/** Longer cells are cut off by the layout, so they get a tooltip. */
const TOOLTIP_THRESHOLD = 30;
/** Column widths, in characters. */
const MIN_WIDTH = 6;
const MAX_WIDTH = 32;
const CELL_PADDING = 3;

/** Rows that are loaded, starting at row `from`. */
interface RowBlock {
  from: number;
  rows: string[][];
}

interface SortOrder {
  column: number;
  direction: Direction;
}

interface TableRowsProps {
  title: string;
  client: TableClient;
  progress: Progress;
}

/** Visible rows of a table; a click on a column name sorts by that column. */
export function TableRows({ title, client, progress }: TableRowsProps) {
  const [sortOrder, setSortOrder] = useState<SortOrder | null>(null);
  const [isSorting, setIsSorting] = useState(false);
  const [sortCount, setSortCount] = useState(0);
  const [visible, setVisible] = useState({ from: 0, to: 0 });
  const block = useRowBlock(client, visible, `${sortCount}/${Math.min(progress.rows, visible.to)}`);
  const columns = progress.columns.slice(0, MAX_COLUMNS);
  const widths = useRef<string>(undefined);
  if (!widths.current && block.rows.length > 0) widths.current = computeWidths(columns, block.rows);
  const onWindowChange = useCallback((from: number, to: number) => setVisible({ from, to }), []);
  const sort = async (column: number) => {
    const isAscending = sortOrder?.column === column && sortOrder.direction === "ascending";
    const next: SortOrder = { column, direction: isAscending ? "descending" : "ascending" };
    setIsSorting(true);
    await client.request({ method: "sort", ...next }).finally(() => setIsSorting(false));
    setSortOrder(next);
    setSortCount((count) => count + 1);
  };
  const head = (
    <div className="table-head" style={{ gridTemplateColumns: widths.current }}>
      {columns.map((name, index) => (
        <SortButton
          key={index}
          name={name}
          direction={sortOrder?.column === index ? sortOrder.direction : null}
          disabled={!progress.done || isSorting}
          onClick={() => sort(index)}
        />
      ))}
    </div>
  );
  return (
    <>
      {isSorting && (
        <p className="viewer-note" role="status">
          Sorting…
        </p>
      )}
      <VirtualList
        className="table-rows"
        label={title}
        count={progress.rows}
        rowHeight={ROW_HEIGHT}
        head={head}
        onWindowChange={onWindowChange}
      >
        {(from, to) => (
          <TableBody block={block} from={from} to={to} columns={columns.length} widths={widths.current} />
        )}
      </VirtualList>
    </>
  );
}

interface SortButtonProps {
  name: string;
  /** Null if the table is not sorted by this column. */
  direction: Direction | null;
  disabled: boolean;
  onClick(): void;
}

function SortButton({ name, direction, disabled, onClick }: SortButtonProps) {
  const arrow = direction === "ascending" ? " ▲" : direction === "descending" ? " ▼" : "";
  const label = `Sort by ${name}${direction ? `, sorted ${direction}` : ""}`;
  return (
    <Button className="plain" aria-label={label} title={name} disabled={disabled} onClick={onClick}>
      {name}
      {arrow}
    </Button>
  );
}

interface TableBodyProps {
  block: RowBlock;
  from: number;
  to: number;
  columns: number;
  widths: string | undefined;
}

/** Rows that are not loaded yet are empty, so that the layout does not shift. */
function TableBody({ block, from, to, columns, widths }: TableBodyProps) {
  const rows = Array.from({ length: to - from }, (_, index) => block.rows[from + index - block.from]);
  return rows.map((cells, index) => (
    <div key={from + index} className="table-row" style={{ gridTemplateColumns: widths }}>
      {cells && Array.from({ length: columns }, (_, column) => <Cell key={column} text={cells[column] ?? ""} />)}
    </div>
  ));
}

function Cell({ text }: { text: string }) {
  const tooltip = text.length > TOOLTIP_THRESHOLD ? text.slice(0, MAX_TOOLTIP_CHARACTERS) : undefined;
  return <span title={tooltip}>{text.slice(0, MAX_CELL_CHARACTERS)}</span>;
}

/** Load the visible rows. While a request runs, only the latest range waits; reload when `reloadKey` changes. */
function useRowBlock(client: TableClient, visible: { from: number; to: number }, reloadKey: string): RowBlock {
  const [block, setBlock] = useState<RowBlock>({ from: 0, rows: [] });
  const isLoading = useRef(false);
  const next = useRef<{ from: number; to: number } | null>(null);
  useEffect(() => {
    next.current = visible;
    if (isLoading.current) return;
    const load = async () => {
      for (let range = next.current; range; range = next.current) {
        next.current = null;
        const rows = await client.request({ method: "rows", ...range });
        setBlock({ from: range.from, rows });
      }
    };
    isLoading.current = true;
    void load().finally(() => {
      isLoading.current = false;
    });
  }, [client, visible, reloadKey]);
  return block;
}

/** Compute column widths from the names and the first rows, as a value of `grid-template-columns`. */
function computeWidths(columns: readonly string[], rows: readonly string[][]): string {
  const widths = columns.map((name, index) => {
    const longest = rows.reduce((max, row) => Math.max(max, row[index]?.length ?? 0), name.length);
    return `${Math.min(Math.max(longest + CELL_PADDING, MIN_WIDTH), MAX_WIDTH)}ch`;
  });
  return widths.join(" ");
}
