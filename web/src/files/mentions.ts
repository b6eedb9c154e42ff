/** Files named in a message: `@name`, or `@"a name"` where it holds a space. Pure. */

export interface Place {
  /** Where the `@` stands. */
  start: number;
  /** What follows it, up to the caret. */
  typed: string;
}

const UNQUOTED = /(?:^|[\s(])@([^\s"@]*)$/;
const QUOTED = /(?:^|[\s(])@"([^"\n]*)$/;

/** Return the mention that is being written before the caret; null where none is. */
export function mentionAt(text: string, caret: number): Place | null {
  const before = text.slice(0, caret);
  const found = UNQUOTED.exec(before) ?? QUOTED.exec(before);
  if (!found) return null;
  return { start: before.lastIndexOf("@"), typed: found[1] ?? "" };
}

/** Return a name as it stands in a message. */
export function mentionOf(name: string): string {
  return /[\s"]/.test(name) ? `@"${name.replaceAll('"', "")}"` : `@${name}`;
}

/** Put a name in the place of what was typed; returns the text and where the caret goes. */
export function mentioned(text: string, { start }: Place, caret: number, name: string): [text: string, caret: number] {
  const head = `${text.slice(0, start)}${mentionOf(name)} `;
  return [head + text.slice(caret).replace(/^ /, ""), head.length];
}

/** Return names that fit what was typed: those that begin so first. */
export function fitting(names: readonly string[], typed: string, most: number): string[] {
  const wanted = typed.toLowerCase();
  const fits = [...new Set(names)].filter((name) => name.toLowerCase().includes(wanted));
  const begins = (name: string) => Number(!name.toLowerCase().startsWith(wanted));
  return fits.sort((one, other) => begins(one) - begins(other)).slice(0, most);
}
