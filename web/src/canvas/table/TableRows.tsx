import { useCallback, useEffect, useRef, useState } from "react";
import { texts } from "../../texts";

import { Button } from "../../shared/Button";
import { VirtualList } from "../VirtualList";
import { type Direction, parseNumber } from "./columns";
import type { Progress, RowBlock } from "./protocol";
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
interface LoadedRows extends RowBlock {
  from: number;
}

/** How the columns are shown. */
interface ColumnStyle {
  /** Value of `grid-template-columns`, with the column of the row numbers. */
  widths: string;
  /** For each column, true if its first values are numbers: then they are aligned to the right. */
  numeric: boolean[];
}

interface SortOrder {
  column: number;
  direction: Direction;
}

interface TableRowsProps {
  title: string;
  client: TableClient;
  progress: Progress;
  /** Only rows that contain this text are shown; `count` is their number. */
  search: { text: string; count: number } | null;
}

/** Visible rows of a table, with their numbers in the file; a click on a column name sorts by that column. */
export function TableRows({ title, client, progress, search }: TableRowsProps) {
  const [sortOrder, setSortOrder] = useState<SortOrder | null>(null);
  const [isSorting, setIsSorting] = useState(false);
  const [sortCount, setSortCount] = useState(0);
  const [visible, setVisible] = useState({ from: 0, to: 0 });
  const count = search?.count ?? progress.rows;
  const block = useRowBlock(client, visible, `${sortCount}/${search?.text ?? ""}/${Math.min(count, visible.to)}`);
  const columns = progress.columns.slice(0, MAX_COLUMNS);
  const style = useRef<ColumnStyle>(undefined);
  if (!style.current && block.rows.length > 0) style.current = computeStyle(columns, block.rows, progress.rows);
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
    <div className="table-head" style={{ gridTemplateColumns: style.current?.widths }}>
      <span className="table-number" aria-hidden>
        #
      </span>
      {columns.map((name, index) => (
        <SortButton
          key={index}
          name={name}
          numeric={style.current?.numeric[index] ?? false}
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
          {texts.viewers.sorting}
        </p>
      )}
      <VirtualList
        className="table-rows"
        label={title}
        count={count}
        rowHeight={ROW_HEIGHT}
        head={head}
        onWindowChange={onWindowChange}
      >
        {(from, to) => (
          <TableBody block={block} from={from} to={to} columns={columns.length} style={style.current} />
        )}
      </VirtualList>
    </>
  );
}

interface SortButtonProps {
  name: string;
  numeric: boolean;
  /** Null if the table is not sorted by this column. */
  direction: Direction | null;
  disabled: boolean;
  onClick(): void;
}

function SortButton({ name, numeric, direction, disabled, onClick }: SortButtonProps) {
  const arrow = direction === "ascending" ? " ▲" : direction === "descending" ? " ▼" : "";
  const label = texts.viewers.sortBy(name, direction);
  return (
    <Button className={`plain${numeric ? " numeric" : ""}`} aria-label={label} title={name} disabled={disabled} onClick={onClick}>
      {name}
      {arrow}
    </Button>
  );
}

interface TableBodyProps {
  block: LoadedRows;
  from: number;
  to: number;
  columns: number;
  style: ColumnStyle | undefined;
}

/** Rows that are not loaded yet are empty, so that the layout does not shift. */
function TableBody({ block, from, to, columns, style }: TableBodyProps) {
  return Array.from({ length: to - from }, (_, offset) => {
    const index = from + offset - block.from;
    const cells = block.rows[index];
    return (
      <div key={from + offset} className="table-row" style={{ gridTemplateColumns: style?.widths }}>
        <span className="table-number">{block.numbers[index]?.toLocaleString("en")}</span>
        {cells &&
          Array.from({ length: columns }, (__, column) => (
            <Cell key={column} text={cells[column] ?? ""} numeric={style?.numeric[column] ?? false} />
          ))}
      </div>
    );
  });
}

function Cell({ text, numeric }: { text: string; numeric: boolean }) {
  const tooltip = text.length > TOOLTIP_THRESHOLD ? text.slice(0, MAX_TOOLTIP_CHARACTERS) : undefined;
  return (
    <span className={numeric ? "numeric" : undefined} title={tooltip}>
      {text.slice(0, MAX_CELL_CHARACTERS)}
    </span>
  );
}

/** Load the visible rows. While a request runs, only the latest range waits; reload when `reloadKey` changes. */
function useRowBlock(client: TableClient, visible: { from: number; to: number }, reloadKey: string): LoadedRows {
  const [block, setBlock] = useState<LoadedRows>({ from: 0, numbers: [], rows: [] });
  const isLoading = useRef(false);
  const next = useRef<{ from: number; to: number } | null>(null);
  useEffect(() => {
    next.current = visible;
    if (isLoading.current) return;
    const load = async () => {
      for (let range = next.current; range; range = next.current) {
        next.current = null;
        setBlock({ from: range.from, ...(await client.request({ method: "rows", ...range })) });
      }
    };
    isLoading.current = true;
    void load().finally(() => {
      isLoading.current = false;
    });
  }, [client, visible, reloadKey]);
  return block;
}

/** Derive widths and alignment from the names and the first rows. */
function computeStyle(columns: readonly string[], rows: readonly string[][], count: number): ColumnStyle {
  const widths = columns.map((name, index) => {
    const longest = rows.reduce((max, row) => Math.max(max, row[index]?.length ?? 0), name.length);
    return `${Math.min(Math.max(longest + CELL_PADDING, MIN_WIDTH), MAX_WIDTH)}ch`;
  });
  const numbers = `${count.toLocaleString("en").length + CELL_PADDING}ch`;
  return { widths: [numbers, ...widths].join(" "), numeric: columns.map((_, index) => isNumeric(rows, index)) };
}

function isNumeric(rows: readonly string[][], column: number): boolean {
  const filled = rows.map((row) => row[column] ?? "").filter((cell) => cell.trim() !== "");
  return filled.length > 0 && filled.every((cell) => !Number.isNaN(parseNumber(cell)));
}
