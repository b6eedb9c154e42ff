/** File mentions in a message: `@name`, or `@"a name"` if the name has spaces. Pure. */

export interface OpenMention {
  /** Index of the `@`. */
  start: number;
  /** Text between the `@` and the caret. */
  query: string;
}

const UNQUOTED = /(?:^|[\s(])@([^\s"@]*)$/;
const QUOTED = /(?:^|[\s(])@"([^"\n]*)$/;

/** Return the mention that the user is typing before the caret, or null. */
export function findMention(text: string, caret: number): OpenMention | null {
  const before = text.slice(0, caret);
  const match = UNQUOTED.exec(before) ?? QUOTED.exec(before);
  if (!match) return null;
  return { start: before.lastIndexOf("@"), query: match[1] ?? "" };
}

/** Return a file name in mention syntax. */
export function formatMention(name: string): string {
  return /[\s"]/.test(name) ? `@"${name.replaceAll('"', "")}"` : `@${name}`;
}

/** Replace the typed mention with a file name; return the new text and caret. */
export function completeMention(
  text: string,
  { start }: OpenMention,
  caret: number,
  name: string,
): [text: string, caret: number] {
  const head = `${text.slice(0, start)}${formatMention(name)} `;
  return [head + text.slice(caret).replace(/^ /, ""), head.length];
}

/** Return at most `limit` unique names that contain the query; names that start with it come first. */
export function matchNames(names: readonly string[], query: string, limit: number): string[] {
  const needle = query.toLowerCase();
  const matches = [...new Set(names)].filter((name) => name.toLowerCase().includes(needle));
  const rank = (name: string) => Number(!name.toLowerCase().startsWith(needle));
  return matches.sort((one, other) => rank(one) - rank(other)).slice(0, limit);
}

const MAX_PAGES = 50;

/** Read all pages of a list, at most 50. */
export async function readPages<Page extends { cursor: string | null }>(
  read: (cursor: string | null) => Promise<Page>,
): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await read(cursor);
    pages.push(page);
    cursor = page.cursor;
  } while (cursor !== null && pages.length < MAX_PAGES);
  return pages;
}

/** Return the offers of servers whose name, title or address contains the query. */
export function matchOffers<Offer extends { name: string; title?: string | null }>(
  offers: readonly Offer[],
  query: string,
  address: (offer: Offer) => string,
): Offer[] {
  const needle = query.toLowerCase();
  return offers.filter((offer) =>
    `${offer.name} ${offer.title ?? ""} ${address(offer)}`.toLowerCase().includes(needle),
  );
}

/** Return the command that reads a resource of a template, and the caret at the first part that the user fills in. */
export function templateCommand({ server, uri_template }: { server: string; uri_template: string }): [string, number] {
  const command = `/${server}.read_resource ${JSON.stringify({ uri: uri_template })}`;
  const start = command.indexOf("{", command.indexOf(uri_template.slice(0, 1), command.indexOf(":")));
  return [command, start < 0 ? command.length : start];
}
