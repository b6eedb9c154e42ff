/** Sizes and durations as readable text. */

const UNITS = ["B", "KB", "MB", "GB", "TB"];
const STEP = 1024;

/** 0 → "0 B", 1536 → "1.5 KB". */
export function formatSize(bytes: number): string {
  const power = bytes < STEP ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(STEP)), UNITS.length - 1);
  const value = bytes / STEP ** power;
  return `${value.toFixed(power > 0 && value < 10 ? 1 : 0)} ${UNITS[power]}`;
}

/** 850 → "0.9 s", 75_000 → "1 min 15 s". */
export function formatDuration(milliseconds: number): string {
  const whole = Math.round(milliseconds / 1000);
  if (whole < 60) return `${whole < 10 ? (milliseconds / 1000).toFixed(1) : whole} s`;
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
