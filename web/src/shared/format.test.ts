import { expect, test } from "vitest";
import { formatDuration, formatSize } from "./format";

test("formatSize uses the largest unit with a value of at least one", () => {
  const sizes = [0, 1023, 1024, 1536, 15_360, 5 * 1024 ** 3].map(formatSize);

  expect(sizes).toEqual(["0 B", "1023 B", "1.0 KB", "1.5 KB", "15 KB", "5.0 GB"]);
});

test("formatDuration uses seconds, and minutes and seconds from one minute on", () => {
  expect([860, 12_300, 59_999, 75_000].map(formatDuration)).toEqual(["0.9 s", "12 s", "1 min 0 s", "1 min 15 s"]);
});
