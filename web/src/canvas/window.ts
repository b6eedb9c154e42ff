/** Which rows of a long list are seen. Pure. Lengths in pixels. */

const MOST_HEIGHT = 8_000_000;
const BEYOND = 10;

export interface Window {
  /** How high the whole list is made. */
  height: number;
  /** The first row that is drawn, and the one before which it ends; a few more than are seen. */
  from: number;
  to: number;
  /** How far the first row that is seen, with a fraction, stands from the top of the list. */
  top: number;
  first: number;
}

/** Return what is seen where the list is scrolled by `top` in a box of this height. */
export function windowOf(count: number, rowHeight: number, top: number, boxHeight: number): Window {
  const full = count * rowHeight;
  const height = Math.min(full, MOST_HEIGHT);
  const way = Math.max(1, height - boxHeight);
  const realWay = Math.max(0, full - boxHeight);
  const at = Math.min(Math.max(0, top), way);
  const first = (height === full ? at : (at / way) * realWay) / rowHeight;
  const from = Math.max(0, Math.floor(first) - BEYOND);
  const to = Math.min(count, Math.ceil(first + boxHeight / rowHeight) + BEYOND);
  return { height, from, to, top: at, first };
}

/** Return where the drawn rows begin. */
export function placeOf(view: Window, rowHeight: number): number {
  return Math.max(0, view.top - (view.first - view.from) * rowHeight);
}
