import { describe, expect, it } from "vitest";

import { placeOf, windowOf } from "./window";

const ROW = 28;
const BOX = 560;

describe("what is seen of a long list", () => {
  it("is what stands at the place that is scrolled to, and a little more", () => {
    const view = windowOf(1_000, ROW, 2_800, BOX);
    expect([view.from, view.to, view.height]).toEqual([90, 130, 28_000]);
    expect(placeOf(view, ROW)).toBe(90 * ROW);
  });

  it.each([100, 10_000, 1_000_000, 100_000_000])("begins with the first row and ends with the last of %d", (count) => {
    const start = windowOf(count, ROW, 0, BOX);
    expect([start.from, placeOf(start, ROW)]).toEqual([0, 0]);
    const end = windowOf(count, ROW, start.height - BOX, BOX);
    expect(end.to).toBe(count);
    const lowest = placeOf(end, ROW) + (end.to - end.from) * ROW;
    expect(Math.abs(lowest - end.height)).toBeLessThan(1);
  });

  it("is never higher than a browser can draw, and every row can be reached", () => {
    const { height } = windowOf(10_000_000, ROW, 0, BOX);
    expect(height).toBeLessThanOrEqual(8_000_000);
    const seen = (top: number) => windowOf(10_000_000, ROW, top, BOX);
    for (let top = 0; top < height - BOX; top += 500_000) {
      expect(seen(top + 1).from).toBeLessThanOrEqual(seen(top).to);
    }
  });

  it("is all of a list that fits, and nothing of an empty one", () => {
    expect(windowOf(3, ROW, 0, BOX)).toMatchObject({ from: 0, to: 3, height: 84 });
    expect(windowOf(0, ROW, 0, BOX)).toMatchObject({ from: 0, to: 0, height: 0 });
  });
});
