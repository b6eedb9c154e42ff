/** Citations as tools write them (spec 5), read leniently: an array of objects, whose fields have many names. Pure. */

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
  /** Where it can be read; nothing but a web address. */
  link: string | null;
}

type Fields = Record<string, unknown>;

/** Read a bibliography. Throws where the text is no JSON, or no list. */
export function readCitations(text: string): Citation[] {
  const parsed: unknown = JSON.parse(text);
  const list = Array.isArray(parsed) ? parsed : listIn(parsed);
  if (!list) throw new Error("This bibliography is no list of citations.");
  return list.filter((each): each is Fields => typeof each === "object" && each !== null).map(citationOf);
}

function listIn(parsed: unknown): unknown[] | null {
  const found = parsed && typeof parsed === "object" ? Object.values(parsed).find(Array.isArray) : undefined;
  return found ?? null;
}

function citationOf(fields: Fields): Citation {
  const doi = textOf(fields, "doi", "DOI")?.replace(/^(https?:\/\/(dx\.)?doi\.org\/|doi:\s*)/i, "") ?? null;
  const pmid = textOf(fields, "pmid", "PMID", "pubmed_id", "pubmedId");
  return {
    title: textOf(fields, "title", "name") ?? "Untitled",
    authors: authorsOf(fields.authors ?? fields.author ?? fields.creators),
    year: textOf(fields, "year", "pubYear", "date", "pubDate", "published", "publication_date")?.match(/\d{4}/)?.[0] ?? null,
    journal: textOf(fields, "journal", "source", "venue", "container-title", "publication", "booktitle"),
    volume: textOf(fields, "volume"),
    issue: textOf(fields, "issue", "number"),
    pages: textOf(fields, "pages", "page"),
    abstract: textOf(fields, "abstract", "summary"),
    doi,
    pmid,
    link: webAddress(textOf(fields, "url", "link", "URL", "uri")) ?? addressOf(doi, pmid),
  };
}

function addressOf(doi: string | null, pmid: string | null): string | null {
  if (doi) return `https://doi.org/${encodeURI(doi)}`;
  return pmid && /^\d+$/.test(pmid) ? `https://pubmed.ncbi.nlm.nih.gov/${pmid}/` : null;
}

/** Return an address that a link may lead to; null for `javascript:` and all else that is not of the web. */
export function webAddress(address: string | null): string | null {
  if (!address || !URL.canParse(address)) return null;
  const { protocol, href } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? href : null;
}

function textOf(fields: Fields, ...names: string[]): string | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string" && value.trim() !== "") return value.trim();
    if (typeof value === "number") return String(value);
    if (Array.isArray(value) && typeof value[0] === "string") return value[0];
  }
  return null;
}

function authorsOf(given: unknown): string[] {
  if (typeof given === "string") return given.split(/;|\band\b/).map((name) => name.trim()).filter(Boolean);
  return Array.isArray(given) ? given.map(nameOf).filter(Boolean) : [];
}

function nameOf(author: unknown): string {
  if (typeof author === "string") return author.trim();
  if (typeof author !== "object" || author === null) return "";
  const fields = author as Fields;
  const family = textOf(fields, "family", "lastName", "last_name", "last", "LastName");
  const given = textOf(fields, "given", "firstName", "first_name", "first", "ForeName", "initials", "Initials");
  return family ? [family, given].filter(Boolean).join(", ") : (textOf(fields, "name", "fullName", "full_name") ?? "");
}
