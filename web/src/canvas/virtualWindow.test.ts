import { describe, expect, it } from "vitest";

import { getOffset, getVirtualWindow } from "./virtualWindow";

const ROW_HEIGHT = 28;
const VIEWPORT = 560;

describe("getVirtualWindow", () => {
  it("returns the visible rows plus overscan", () => {
    const view = getVirtualWindow(1_000, ROW_HEIGHT, 2_800, VIEWPORT);
    expect([view.from, view.to, view.height]).toEqual([90, 130, 28_000]);
    expect(getOffset(view, ROW_HEIGHT)).toBe(90 * ROW_HEIGHT);
  });

  it.each([100, 10_000, 1_000_000, 100_000_000])("reaches the first and the last of %d rows", (count) => {
    const start = getVirtualWindow(count, ROW_HEIGHT, 0, VIEWPORT);
    expect([start.from, getOffset(start, ROW_HEIGHT)]).toEqual([0, 0]);
    const end = getVirtualWindow(count, ROW_HEIGHT, start.height - VIEWPORT, VIEWPORT);
    expect(end.to).toBe(count);
    const bottom = getOffset(end, ROW_HEIGHT) + (end.to - end.from) * ROW_HEIGHT;
    expect(Math.abs(bottom - end.height)).toBeLessThan(1);
  });

  it("limits the height and skips no row while scrolling", () => {
    const { height } = getVirtualWindow(10_000_000, ROW_HEIGHT, 0, VIEWPORT);
    expect(height).toBeLessThanOrEqual(8_000_000);
    const viewAt = (top: number) => getVirtualWindow(10_000_000, ROW_HEIGHT, top, VIEWPORT);
    for (let top = 0; top < height - VIEWPORT; top += 500_000) {
      expect(viewAt(top + 1).from).toBeLessThanOrEqual(viewAt(top).to);
    }
  });

  it("returns all rows of a list that fits, and none of an empty one", () => {
    expect(getVirtualWindow(3, ROW_HEIGHT, 0, VIEWPORT)).toMatchObject({ from: 0, to: 3, height: 84 });
    expect(getVirtualWindow(0, ROW_HEIGHT, 0, VIEWPORT)).toMatchObject({ from: 0, to: 0, height: 0 });
  });
});
