const LEAST = 6;
const MOST = 32;
const MARGIN = 3;

/** Return how wide columns are made, in characters, by what stands in their first rows: a value of grid-template-columns. */
export function widthsOf(columns: readonly string[], rows: readonly string[][]): string {
  const widths = columns.map((name, at) => {
    const longest = rows.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), name.length);
    return `${Math.min(Math.max(longest + MARGIN, LEAST), MOST)}ch`;
  });
  return widths.join(" ");
}
