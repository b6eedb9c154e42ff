/** From the places of a graph to those of the screen, and back. Pure. */

export interface View {
  /** What stands in the middle of the picture, in the graph's own measure. */
  x: number;
  y: number;
  scale: number;
}

const MARGIN = 60;
const LEAST_SCALE = 0.05;
const MOST_SCALE = 8;

/** Return the view in which all of it is seen. */
export function fitting(places: Float64Array, width: number, height: number): View {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let at = 0; at + 1 < places.length; at += 2) {
    const [x = 0, y = 0] = [places[at], places[at + 1]];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  if (places.length === 0) return { x: 0, y: 0, scale: 1 };
  const scale = Math.min((width - MARGIN) / (right - left || 1), (height - MARGIN) / (bottom - top || 1), 3);
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale: bounded(scale) };
}

/** Return the view nearer by a factor, with a point of the picture staying where it is. */
export function zoomed(view: View, factor: number, dx: number, dy: number): View {
  const scale = bounded(view.scale * factor);
  const kept = 1 / view.scale - 1 / scale;
  return { scale, x: view.x + dx * kept, y: view.y + dy * kept };
}

/** Return the node nearest to a point (in pixels from the picture's middle) and within reach; -1 for none. */
export function nearest(places: Float64Array, view: View, dx: number, dy: number, reach: number): number {
  let [best, distance] = [-1, reach];
  for (let at = 0; at + 1 < places.length; at += 2) {
    const x = ((places[at] ?? 0) - view.x) * view.scale - dx;
    const y = ((places[at + 1] ?? 0) - view.y) * view.scale - dy;
    const away = Math.hypot(x, y);
    if (away < distance) [best, distance] = [at / 2, away];
  }
  return best;
}

function bounded(scale: number): number {
  return Math.min(MOST_SCALE, Math.max(LEAST_SCALE, scale));
}
