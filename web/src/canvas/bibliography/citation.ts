/** Lenient parser for bibliographies from tools: an array of objects whose field names vary. Pure. */

export interface Citation {
  title: string;
  authors: string[];
  year: string | null;
  journal: string | null;
  volume: string | null;
  issue: string | null;
  pages: string | null;
  abstract: string | null;
  doi: string | null;
  pmid: string | null;
  /** URL of the publication; only http or https. */
  link: string | null;
}

type Fields = Record<string, unknown>;

/** Parse a bibliography. Throws if the text is not JSON, or has no list. */
export function parseCitations(text: string): Citation[] {
  const parsed: unknown = JSON.parse(text);
  const list = Array.isArray(parsed) ? parsed : findList(parsed);
  if (!list) throw new Error("This bibliography has no list of citations.");
  return list.filter((entry): entry is Fields => typeof entry === "object" && entry !== null).map(toCitation);
}

/** Return the first list in an object; null if there is none. */
function findList(parsed: unknown): unknown[] | null {
  const list = parsed && typeof parsed === "object" ? Object.values(parsed).find(Array.isArray) : undefined;
  return list ?? null;
}

function toCitation(fields: Fields): Citation {
  const doi = getText(fields, "doi", "DOI")?.replace(/^(https?:\/\/(dx\.)?doi\.org\/|doi:\s*)/i, "") ?? null;
  const pmid = getText(fields, "pmid", "PMID", "pubmed_id", "pubmedId");
  return {
    title: getText(fields, "title", "name") ?? "Untitled",
    authors: parseAuthors(fields.authors ?? fields.author ?? fields.creators),
    year: getText(fields, "year", "pubYear", "date", "pubDate", "published", "publication_date")?.match(/\d{4}/)?.[0] ?? null,
    journal: getText(fields, "journal", "source", "venue", "container-title", "publication", "booktitle"),
    volume: getText(fields, "volume"),
    issue: getText(fields, "issue", "number"),
    pages: getText(fields, "pages", "page"),
    abstract: getText(fields, "abstract", "summary"),
    doi,
    pmid,
    link: toWebUrl(getText(fields, "url", "link", "URL", "uri")) ?? buildLink(doi, pmid),
  };
}

function buildLink(doi: string | null, pmid: string | null): string | null {
  if (doi) return `https://doi.org/${encodeURI(doi)}`;
  return pmid && /^\d+$/.test(pmid) ? `https://pubmed.ncbi.nlm.nih.gov/${pmid}/` : null;
}

/** Return the URL if it is http or https; null for `javascript:` and all others, which must not become links. */
export function toWebUrl(url: string | null): string | null {
  if (!url || !URL.canParse(url)) return null;
  const { protocol, href } = new URL(url);
  return protocol === "https:" || protocol === "http:" ? href : null;
}

/** Return the first of the named fields that has a text, a number, or a list of texts. */
function getText(fields: Fields, ...names: string[]): string | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string" && value.trim() !== "") return value.trim();
    if (typeof value === "number") return String(value);
    if (Array.isArray(value) && typeof value[0] === "string") return value[0];
  }
  return null;
}

function parseAuthors(value: unknown): string[] {
  if (typeof value === "string") return value.split(/;|\band\b/).map((name) => name.trim()).filter(Boolean);
  return Array.isArray(value) ? value.map(formatAuthor).filter(Boolean) : [];
}

/** Return "Family, Given" if the parts are separate, else the full name. */
function formatAuthor(author: unknown): string {
  if (typeof author === "string") return author.trim();
  if (typeof author !== "object" || author === null) return "";
  const fields = author as Fields;
  const family = getText(fields, "family", "lastName", "last_name", "last", "LastName");
  const given = getText(fields, "given", "firstName", "first_name", "first", "ForeName", "initials", "Initials");
  return family ? [family, given].filter(Boolean).join(", ") : (getText(fields, "name", "fullName", "full_name") ?? "");
}
