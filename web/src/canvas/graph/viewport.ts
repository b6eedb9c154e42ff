/** Viewport of the graph: conversion between graph and screen coordinates. Pure. */

export interface Viewport {
  /** Center of the canvas, in graph coordinates. */
  x: number;
  y: number;
  /** Pixels per unit of graph coordinates. */
  scale: number;
}

const MARGIN_PX = 60;
const MIN_SCALE = 0.05;
const MAX_SCALE = 8;
const MAX_FIT_SCALE = 3;

/** Return the viewport that shows the whole graph. `positions` holds x and y of each node in turn. */
export function fitViewport(positions: Float64Array, width: number, height: number): Viewport {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let index = 0; index + 1 < positions.length; index += 2) {
    const [x = 0, y = 0] = [positions[index], positions[index + 1]];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  if (positions.length === 0) return { x: 0, y: 0, scale: 1 };
  const scale = Math.min(
    (width - MARGIN_PX) / (right - left || 1),
    (height - MARGIN_PX) / (bottom - top || 1),
    MAX_FIT_SCALE,
  );
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale: clampScale(scale) };
}

/** Zoom by a factor around a point, given in pixels from the center of the canvas. */
export function zoom(viewport: Viewport, factor: number, dx: number, dy: number): Viewport {
  const scale = clampScale(viewport.scale * factor);
  const shift = 1 / viewport.scale - 1 / scale;
  return { scale, x: viewport.x + dx * shift, y: viewport.y + dy * shift };
}

/** Return the index of the node nearest to a point and within `maxDistance`, in pixels from the center; -1 for none. */
export function findNearestNode(
  positions: Float64Array,
  viewport: Viewport,
  dx: number,
  dy: number,
  maxDistance: number,
): number {
  let [nearest, nearestDistance] = [-1, maxDistance];
  for (let index = 0; index + 1 < positions.length; index += 2) {
    const x = ((positions[index] ?? 0) - viewport.x) * viewport.scale - dx;
    const y = ((positions[index + 1] ?? 0) - viewport.y) * viewport.scale - dy;
    const distance = Math.hypot(x, y);
    if (distance < nearestDistance) [nearest, nearestDistance] = [index / 2, distance];
  }
  return nearest;
}

function clampScale(scale: number): number {
  return Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale));
}
