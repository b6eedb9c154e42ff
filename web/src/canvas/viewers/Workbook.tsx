import { useMemo, useState } from "react";

import { texts } from "../../texts";
import type { Item } from "../item";
import type { Sheet } from "../office/office.worker";
import { openOffice } from "../office/openOffice";
import { AsyncPreview } from "../PreviewState";
import { useAsync } from "../useAsync";
import Table from "./Table";
import type { ViewerProps } from "./types";
import { useFileBytes } from "./useFileContent";

const MAX_BYTES = 32 << 20;

/** Excel workbook: one sheet at a time, as a table. */
export default function Workbook({ item }: ViewerProps) {
  return (
    <AsyncPreview item={item} state={useFileBytes(item, MAX_BYTES)}>
      {(bytes) => <Sheets item={item} bytes={bytes} />}
    </AsyncPreview>
  );
}

function Sheets({ item, bytes }: { item: Item; bytes: Uint8Array<ArrayBuffer> }) {
  const state = useAsync(`${item.fileKey}@${item.version}`, () => openOffice("xlsx", bytes));
  return (
    <AsyncPreview item={item} state={state}>
      {(sheets) => <SheetPicker item={item} sheets={sheets} />}
    </AsyncPreview>
  );
}

function SheetPicker({ item, sheets }: { item: Item; sheets: readonly Sheet[] }) {
  const [index, setIndex] = useState(0);
  const sheet = sheets[index];
  const table = useMemo(
    () => sheet && { ...item, title: `${item.title}: ${sheet.name}`, content: sheet.csv, mime: "text/csv" },
    [item, sheet],
  );
  return (
    <>
      {sheets.length > 1 && (
        <div className="viewer-toolbar">
          <label>
            {texts.office.sheet}{" "}
            <select value={index} onChange={(event) => setIndex(Number(event.target.value))}>
              {sheets.map(({ name }, each) => (
                <option key={name} value={each}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      {table && <Table key={index} item={table} />}
    </>
  );
}
