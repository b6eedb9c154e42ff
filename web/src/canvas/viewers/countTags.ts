/** Count possible tags in HTML, stopping above `max`. The count predicts how long the sanitizer takes. */
export function countTags(html: string, max: number): number {
  let tags = 0;
  for (let index = html.indexOf("<"); index >= 0 && tags <= max; index = html.indexOf("<", index + 1)) tags += 1;
  return tags;
}
