/** What was read from a file, in a few words. Pure. */
import type { FileOut } from "../api/types";

type Info = FileOut["info"];

/** {rows: 1000, columns: 3} → "1,000 rows, 3 columns". */
export function factsOf(info: Info): string {
  const about = info.estimated ? "about " : "";
  const facts = [
    counted(info.rows, "row", about),
    counted(info.columns, "column"),
    counted(info.sheets, "sheet"),
    counted(info.pages, "page", about),
    info.width && info.height ? `${info.width} × ${info.height} pixels` : null,
    counted(info.lines, "line", about),
    counted(info.keys, "key"),
  ];
  return facts.filter(Boolean).join(", ");
}

function counted(count: number | null | undefined, thing: string, about = ""): string | null {
  if (count === null || count === undefined) return null;
  return `${about}${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}
