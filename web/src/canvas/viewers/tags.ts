/** Count what may be tags in HTML, up to a little over `most`: how long a sanitiser takes depends on them. */
export function countTags(html: string, most: number): number {
  let tags = 0;
  for (let at = html.indexOf("<"); at >= 0 && tags <= most; at = html.indexOf("<", at + 1)) tags += 1;
  return tags;
}
