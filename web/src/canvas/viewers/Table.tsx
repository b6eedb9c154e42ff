import { useEffect, useState } from "react";

import { messageOf } from "../../shared/errors";
import { PausableButton } from "../../shared/PausableButton";
import type { Item } from "../item";
import { CutNote, NotShown } from "../Shown";
import type { Progress } from "../table/protocol";
import { QuickChart } from "../table/QuickChart";
import { TableClient } from "../table/tableClient";
import { TableRows } from "../table/TableRows";
import type { ViewerProps } from ".";

/** A table of any length: what is seen of it, sorted by a column, one column as a chart. */
export default function Table({ item }: ViewerProps) {
  const { client, progress, failure } = useTable(item);
  const [charted, setCharted] = useState(false);
  if (failure !== null) return <NotShown item={item} why={failure} />;
  if (!client || !progress) return <p className="viewer-note">Loading…</p>;
  return (
    <div className="viewer-table">
      <div className="table-bar">
        <span role="status">{saidOf(progress)}</span>
        <PausableButton aria-pressed={charted} paused={!progress.done} onClick={() => setCharted(!charted)}>
          Chart
        </PausableButton>
      </div>
      {progress.done && progress.cut && <CutNote item={item} shown="The beginning" />}
      {charted && <QuickChart client={client} columns={progress.columns} />}
      <TableRows title={item.title} client={client} progress={progress} />
    </div>
  );
}

function saidOf({ rows, columns, done }: Progress): string {
  const figure = (count: number, thing: string) => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
  return `${figure(rows, "row")}, ${figure(columns.length, "column")}${done ? "" : " so far…"}`;
}

function useTable(item: Item) {
  const [client, setClient] = useState<TableClient>();
  const [progress, setProgress] = useState<Progress>();
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    const made = new TableClient(setProgress, setFailure);
    setClient(made);
    item.link().then(
      (address) => made.open(address, item.size, item.mime),
      (error: unknown) => setFailure(messageOf(error)),
    );
    return () => made.close();
  }, [item]);
  return { client, progress, failure };
}
