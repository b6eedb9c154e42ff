/** Figures and lines of a chart. Pure. */

export interface Frame {
  least: number;
  most: number;
  width: number;
  height: number;
}

/** Return the path of a line through values; the least value lies at the bottom. */
export function linePath(values: readonly number[], frame: Frame): string {
  return `M${points(values, frame).join(" L")}`;
}

/** Return the path around what lies between two lines. */
export function areaPath(upper: readonly number[], lower: readonly number[], frame: Frame): string {
  return `M${[...points(upper, frame), ...points(lower, frame).reverse()].join(" L")} Z`;
}

function points(values: readonly number[], { least, most, width, height }: Frame): string[] {
  const span = most - least || 1;
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values.map((value, at) => `${round(at * step)},${round(height - ((value - least) / span) * height)}`);
}

/** Write a number in few characters. */
export function figure(value: number): string {
  return value.toLocaleString("en", { maximumSignificantDigits: 6 });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
