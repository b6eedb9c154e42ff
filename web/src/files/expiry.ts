/** How long a file is still there, as people say it. Pure. */
import type { FileOut } from "../api/types";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Return when a file goes by itself; null where it stays. `now` in seconds since 1970. */
export function leaving({ expires_at: at, temporary }: Pick<FileOut, "expires_at" | "temporary">, now: number): string | null {
  if (at !== null && at !== undefined) return at <= now ? "gone" : `gone in ${span(at - now)}`;
  return temporary ? "goes with the session" : null;
}

/** 90 → "2 minutes"; never less than is left by more than half a unit. */
export function span(seconds: number): string {
  if (seconds < 90 * MINUTE) return counted(Math.max(1, Math.round(seconds / MINUTE)), "minute");
  if (seconds < 36 * HOUR) return counted(Math.round(seconds / HOUR), "hour");
  return counted(Math.round(seconds / DAY), "day");
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
