/** Search, kinds and order of the files that are loaded. Pure. */
import type { FileRecord } from "../api/types";

export const KINDS = ["Images", "Tables", "Documents", "Pages", "Audio and video", "Text and code", "Others"] as const;
export type Kind = (typeof KINDS)[number];

export const ORDERS = ["Newest", "Oldest", "Name", "Largest", "Kind"] as const;
export type Order = (typeof ORDERS)[number];

type Described = Pick<FileRecord, "name" | "mime">;

const KIND_PATTERNS: readonly [Kind, mime: RegExp, extension: RegExp][] = [
  ["Images", /^image\//, /\.(png|jpe?g|gif|webp|svg|bmp|tiff?|heic)$/],
  ["Tables", /csv|tab-separated|spreadsheet|ms-excel|parquet/, /\.(csv|tsv|xlsx?|ods|parquet)$/],
  ["Documents", /pdf|msword|wordprocessing|presentation|powerpoint|opendocument|rtf|epub/, /\.(pdf|docx?|pptx?|odt|odp|rtf)$/],
  ["Pages", /html/, /\.x?html?$/],
  ["Audio and video", /^(audio|video)\//, /\.(mp3|wav|ogg|flac|m4a|mp4|webm|mov|mkv)$/],
  ["Text and code", /^text\/|json|xml|yaml|javascript|python|x-sh|sql|toml/, /\.(txt|md|json|py|js|ts|r|sql|log|yaml|yml|toml)$/],
];

/** Return the kind of a file by its media type, or else by the ending of its name. */
export function kindOf({ name, mime }: Described): Kind {
  const byMime = KIND_PATTERNS.find(([, pattern]) => pattern.test(mime));
  const byName = KIND_PATTERNS.find(([, , pattern]) => pattern.test(name.toLowerCase()));
  return (byMime ?? byName)?.[0] ?? "Others";
}

/** Return the files whose name or category contains the query, ignoring case, and which are of the kind, if any. */
export function findFiles(files: readonly FileRecord[], query: string, kind: Kind | null): readonly FileRecord[] {
  const needle = query.trim().toLowerCase();
  if (needle === "" && kind === null) return files;
  return files.filter(
    (file) =>
      (kind === null || kindOf(file) === kind) &&
      (file.name.toLowerCase().includes(needle) || (file.category?.toLowerCase().includes(needle) ?? false)),
  );
}

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;

/** Return the files in an order. `Newest` is the order in which the API lists them. */
export function sortFiles(files: readonly FileRecord[], order: Order): readonly FileRecord[] {
  switch (order) {
    case "Newest":
      return files;
    case "Oldest":
      return files.toReversed();
    case "Name":
      return files.toSorted((one, other) => byName(one.name, other.name));
    case "Largest":
      return files.toSorted((one, other) => other.size - one.size);
    case "Kind":
      return sortByKind(files);
  }
}

function sortByKind(files: readonly FileRecord[]): readonly FileRecord[] {
  const ranked = files.map((file) => ({ file, rank: KINDS.indexOf(kindOf(file)) }));
  return ranked.sort((one, other) => one.rank - other.rank || byName(one.file.name, other.file.name)).map(({ file }) => file);
}
