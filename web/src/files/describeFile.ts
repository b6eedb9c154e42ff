/** Short descriptions of a file's expiry and contents. Pure. */
import type { FileRecord } from "../api/types";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Describe when a file expires; null if it does not. `now` is in seconds since 1970. */
export function describeExpiry(
  { expires_at: expiresAt, temporary }: Pick<FileRecord, "expires_at" | "temporary">,
  now: number,
): string | null {
  if (expiresAt) {
    const secondsLeft = Date.parse(expiresAt) / 1000 - now;
    return secondsLeft <= 0 ? "Expired" : `Expires in ${formatTimeSpan(secondsLeft)}`;
  }
  return temporary ? "Deleted with the chat" : null;
}

/** 90 → "2 minutes": rounded to minutes, hours or days, at least one minute. */
export function formatTimeSpan(seconds: number): string {
  if (seconds < 90 * MINUTE) return pluralize(Math.max(1, Math.round(seconds / MINUTE)), "minute");
  if (seconds < 36 * HOUR) return pluralize(Math.round(seconds / HOUR), "hour");
  return pluralize(Math.round(seconds / DAY), "day");
}

/** {rows: 1000, columns: 3} → "1,000 rows, 3 columns". */
export function describeContents(info: FileRecord["info"]): string {
  const prefix = info.estimated ? "about " : "";
  const parts = [
    countOf(info.rows, "row", prefix),
    countOf(info.columns, "column"),
    countOf(info.sheets, "sheet"),
    countOf(info.pages, "page", prefix),
    info.width && info.height ? `${info.width} × ${info.height} pixels` : null,
    countOf(info.lines, "line", prefix),
    countOf(info.keys, "key"),
  ];
  return parts.filter(Boolean).join(", ");
}

function countOf(count: number | null | undefined, unit: string, prefix = ""): string | null {
  return count === null || count === undefined ? null : prefix + pluralize(count, unit);
}

function pluralize(count: number, unit: string): string {
  return `${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"}`;
}

/** Describe how long ago a time was: "now", "5 min ago", "2 d ago", and after a week the date. `now` is in seconds since 1970. */
export function formatAge(at: string, now: number): string {
  const seconds = now - Date.parse(at) / 1000;
  if (seconds < MINUTE) return "now";
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ago`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h ago`;
  if (seconds < 7 * DAY) return `${Math.floor(seconds / DAY)} d ago`;
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date(now * 1000).getFullYear();
  return date.toLocaleDateString("en", { day: "numeric", month: "short", ...(!isThisYear && { year: "numeric" }) });
}

/** Return where a file comes from: `uploaded`, `generated` or `deferred`, or the app that created it. */
export function describeSource({ source, app }: Pick<FileRecord, "source" | "app">): string {
  return app ? `from the app of ${app}` : source;
}
