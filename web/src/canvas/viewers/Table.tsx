import { useEffect, useState } from "react";
import { texts } from "../../texts";

import { Button } from "../../shared/Button";
import { formatSize } from "../../shared/format";
import { errorMessage } from "../../shared/notifications";
import type { Item } from "../item";
import { PreviewError, TruncationNote } from "../PreviewState";
import { ColumnChart } from "../table/ColumnChart";
import type { Progress } from "../table/protocol";
import { TableClient } from "../table/tableClient";
import { TableRows } from "../table/TableRows";
import type { ViewerProps } from "./types";

const SEARCH_DELAY_MS = 150;

/** Table of any length: scrollable, searchable, sortable by a column, with a chart of one column. */
export default function Table({ item }: ViewerProps) {
  const { client, progress, error } = useTable(item);
  const [hasChart, setHasChart] = useState(false);
  const [text, setText] = useState("");
  const search = useSearch(client, text);
  if (error !== null) return <PreviewError item={item} message={error} />;
  if (!client || !progress) return <p className="viewer-message">{texts.app.loading}</p>;
  return (
    <div className="viewer-table">
      <div className="viewer-toolbar">
        <span role="status">{describeProgress(progress)}</span>
        {search && <span role="status">{search.count.toLocaleString("en")} found</span>}
        <input
          type="search"
          aria-label={texts.viewers.findInTable}
          placeholder={texts.viewers.find}
          disabled={!progress.done}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button aria-pressed={hasChart} disabled={!progress.done} onClick={() => setHasChart(!hasChart)}>
          Chart
        </Button>
      </div>
      {progress.done && progress.truncated && (
        <TruncationNote item={item} shown={`the beginning of this ${formatSize(item.size)} file`} />
      )}
      {hasChart && <ColumnChart client={client} columns={progress.columns} />}
      <TableRows title={item.title} client={client} progress={progress} search={search} />
    </div>
  );
}

/** Search the rows a moment after the last key. Return null without a search. */
function useSearch(client: TableClient | undefined, text: string): { text: string; count: number } | null {
  const [search, setSearch] = useState<{ text: string; count: number } | null>(null);
  const trimmed = text.trim();
  useEffect(() => {
    if (!client || (trimmed === "" && search === null)) return;
    let cancelled = false;
    const timer = setTimeout(async () => {
      const count = await client.request({ method: "find", text: trimmed });
      if (!cancelled) setSearch(trimmed === "" ? null : { text: trimmed, count });
    }, SEARCH_DELAY_MS);
    return () => {
      cancelled = true;
      clearTimeout(timer);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the result of a search starts no other one
  }, [client, trimmed]);
  return search;
}

function describeProgress({ rows, columns, done }: Progress): string {
  const format = (count: number, unit: string) => `${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"}`;
  return `${format(rows, "row")}, ${format(columns.length, "column")}${done ? "" : " so far…"}`;
}

function useTable(item: Item) {
  const [client, setClient] = useState<TableClient>();
  const [progress, setProgress] = useState<Progress>();
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    const tableClient = new TableClient(setProgress, setError);
    setClient(tableClient);
    if (item.content !== null && item.mime === "text/csv") tableClient.openText(item.content);
    else {
      item.link().then(
        (url) => tableClient.open(url, item.size, item.mime),
        (reason: unknown) => setError(errorMessage(reason)),
      );
    }
    return () => tableClient.close();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- each button of the file makes an item, but a version does not change
  }, [item.fileKey, item.version]);
  return { client, progress, error };
}
