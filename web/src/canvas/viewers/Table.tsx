import { useEffect, useState } from "react";

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

/** Table of any length: scrollable, sortable by a column, with a chart of one column. */
export default function Table({ item }: ViewerProps) {
  const { client, progress, error } = useTable(item);
  const [hasChart, setHasChart] = useState(false);
  if (error !== null) return <PreviewError item={item} message={error} />;
  if (!client || !progress) return <p className="viewer-message">Loading…</p>;
  return (
    <div className="viewer-table">
      <div className="viewer-toolbar">
        <span role="status">{describeProgress(progress)}</span>
        <Button aria-pressed={hasChart} disabled={!progress.done} onClick={() => setHasChart(!hasChart)}>
          Chart
        </Button>
      </div>
      {progress.done && progress.truncated && (
        <TruncationNote item={item} shown={`the beginning of this ${formatSize(item.size)} file`} />
      )}
      {hasChart && <ColumnChart client={client} columns={progress.columns} />}
      <TableRows title={item.title} client={client} progress={progress} />
    </div>
  );
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
    item.link().then(
      (url) => tableClient.open(url, item.size, item.mime),
      (reason: unknown) => setError(errorMessage(reason)),
    );
    return () => tableClient.close();
  }, [item]);
  return { client, progress, error };
}
