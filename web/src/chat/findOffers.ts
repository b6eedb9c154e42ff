/** Prompts and tools for what the user types after a slash. Pure. */

interface Offer {
  server: string;
  name: string;
  title?: string | null;
}

export function fullName({ server, name }: { server: string; name: string }): string {
  return `${server}.${name}`;
}

/**
 * Return the offers whose names contain a text: first those whose server's name begins with it, then own names and titles
 * that do, then names and titles with a word that does. Of equal offers, the text is more of the shorter names, so these are first.
 */
export function findOffers<Found extends Offer>(offers: readonly Found[], text: string): Found[] {
  const needle = text.toLowerCase();
  if (!needle) return [...offers];
  return offers
    .map((offer) => ({ offer, rank: rankOf(offer, needle), length: fullName(offer).length }))
    .filter(({ rank }) => rank !== null)
    .sort((one, other) => (one.rank ?? 0) - (other.rank ?? 0) || one.length - other.length)
    .map(({ offer }) => offer);
}

function rankOf(offer: Offer, needle: string): number | null {
  const name = offer.name.toLowerCase();
  const names = [fullName(offer).toLowerCase(), name];
  const title = (offer.title ?? "").toLowerCase();
  if (names[0]?.startsWith(needle)) return 0;
  if (name.startsWith(needle)) return 1;
  if (title.startsWith(needle)) return 2;
  const all = [...names, title];
  if (all.some((name) => name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(needle)))) return 3;
  return all.some((name) => name.includes(needle)) ? 4 : null;
}
