/** Geometry of a virtual list: which rows are visible, and where to draw them. Pure; lengths in pixels. */

/** Browsers limit the height of an element; above this, scrolling is scaled. */
const MAX_HEIGHT = 8_000_000;
const OVERSCAN_ROWS = 10;

export interface VirtualWindow {
  /** Height of the scrollable area. */
  height: number;
  /** Rows to draw: from `from` up to, not including, `to`. A few more than are visible. */
  from: number;
  to: number;
  /** Scroll position. */
  top: number;
  /** Index of the topmost visible row, with a fraction. */
  first: number;
}

/** Return the window of a list that is scrolled to `scrollTop` in a viewport of the given height. */
export function getVirtualWindow(
  count: number,
  rowHeight: number,
  scrollTop: number,
  viewportHeight: number,
): VirtualWindow {
  const fullHeight = count * rowHeight;
  const height = Math.min(fullHeight, MAX_HEIGHT);
  const maxTop = Math.max(1, height - viewportHeight);
  const maxFullTop = Math.max(0, fullHeight - viewportHeight);
  const top = Math.min(Math.max(0, scrollTop), maxTop);
  const first = (height === fullHeight ? top : (top / maxTop) * maxFullTop) / rowHeight;
  const from = Math.max(0, Math.floor(first) - OVERSCAN_ROWS);
  const to = Math.min(count, Math.ceil(first + viewportHeight / rowHeight) + OVERSCAN_ROWS);
  return { height, from, to, top, first };
}

/** Return the position of the first drawn row. */
export function getOffset(window: VirtualWindow, rowHeight: number): number {
  return Math.max(0, window.top - (window.first - window.from) * rowHeight);
}
