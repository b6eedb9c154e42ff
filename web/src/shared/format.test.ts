import { expect, test } from "vitest";
import { duration, size } from "./format";

test("sizes are told in the largest unit that they fill", () => {
  const told = [0, 1023, 1024, 1536, 15_360, 5 * 1024 ** 3].map(size);

  expect(told).toEqual(["0 B", "1023 B", "1.0 KB", "1.5 KB", "15 KB", "5.0 GB"]);
});

test("times are told in seconds, and from a minute on in minutes, too", () => {
  expect([860, 12_300, 59_999, 75_000].map(duration)).toEqual(["0.9 s", "12 s", "1 min 0 s", "1 min 15 s"]);
});
