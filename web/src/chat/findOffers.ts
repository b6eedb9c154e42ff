/** Prompts and tools for what the user types after a slash. Pure. */

interface Offer {
  server: string;
  name: string;
  title?: string | null;
}

export function fullName({ server, name }: { server: string; name: string }): string {
  return `${server}.${name}`;
}

/** Return the offers whose names contain a text: first names that begin with it, then those with a word that does. */
export function findOffers<Found extends Offer>(offers: readonly Found[], text: string): Found[] {
  const needle = text.toLowerCase();
  return offers
    .map((offer) => ({ offer, rank: rankOf(offer, needle) }))
    .filter(({ rank }) => rank !== null)
    .sort((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
    .map(({ offer }) => offer);
}

function rankOf(offer: Offer, needle: string): number | null {
  const names = [fullName(offer), offer.name, offer.title ?? ""].map((name) => name.toLowerCase());
  if (names.some((name) => name.startsWith(needle))) return 0;
  if (names.some((name) => name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(needle)))) return 1;
  return names.some((name) => name.includes(needle)) ? 2 : null;
}
