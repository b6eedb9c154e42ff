/** Files as the canvas shows them, created from the files of a turn or from My Files. */
import { api, unwrap } from "../api/client";
import type { Artifact, Deferred, FileRecord, OpenApp } from "../api/types";

/** How a call has ended that gives its app nothing to show. */
export interface CallFailure {
  message: string;
  /** Whether the tool itself has failed: the app gets its error as a result. Otherwise it gets no result. */
  isResult: boolean;
}

/** An app that opens before its call has a result, with the page that an earlier call has left. */
export interface OpeningApp {
  app: OpenApp;
  html: string;
  origin: string;
  /** Null while the call runs. */
  failure: CallFailure | null;
}

export interface Item {
  fileKey: string;
  version: number;
  name: string;
  title: string;
  /** Media type in lower case, without parameters. */
  mime: string;
  size: number;
  /** `image`, `pdf`, `html`, `code`, `data`, `audio`, `video` or `auto`, from the tool or from the media type. */
  viewer: string;
  description: string | null;
  language: string | null;
  /** Inline content of a short text. */
  content: string | null;
  /** The app of a running call, which gets the result later. */
  opening?: OpeningApp;
  /** Return a currently valid download link to this version. Throws if the file no longer exists. */
  link(): Promise<string>;
}

/** Reuse a link for four minutes; it is valid for five. */
const LINK_REUSE_MS = 4 * 60_000;

/** Artifact types that are more specific than the media type of the stored file. */
const ARTIFACT_TYPES = new Set(["application/vnd.bibliography", "application/vnd.knowledge-graph"]);

type AnyFile = Artifact | Deferred | FileRecord;

/** Create an item for a file of a turn, in the version that this turn created. */
export function itemFromTurn(file: Artifact | Deferred): Item {
  const artifact = "viewer" in file ? file : null;
  return {
    ...commonFields(file),
    ...(artifact && ARTIFACT_TYPES.has(artifact.type) ? { mime: artifact.type } : {}),
    title: artifact?.title || file.name,
    viewer: artifact?.viewer ?? "auto",
    language: artifact?.language ?? null,
    content: artifact?.content ?? null,
  };
}

/** Create an item for a version of a file in My Files. */
export function itemFromFile(file: FileRecord): Item {
  return { ...commonFields(file), title: file.name, viewer: file.viewer ?? "auto", language: null, content: null };
}

function commonFields(file: AnyFile) {
  return {
    fileKey: file.file_key,
    version: file.version,
    name: file.name,
    mime: (file.mime.split(";")[0] ?? "").trim().toLowerCase(),
    size: file.size,
    description: file.description ?? null,
    link: cacheLink(() => fetchLink(file)),
  };
}

/** Fetch a new link to one version of a file; null if that version is gone. Throws ApiError. */
async function fetchLink({ file_key, version }: AnyFile): Promise<string | null> {
  const params = { path: { file_key }, query: { version, content: false } };
  const { download_url: link } = await unwrap(api.GET("/api/files/{file_key}", { params }));
  return link ? toSameOrigin(link) : null;
}

/** Make an API link relative: the page may reach the API under another host name than the link has. */
export function toSameOrigin(link: string): string {
  const url = new URL(link, location.origin);
  return url.pathname.startsWith("/api/") ? url.pathname + url.search : link;
}

/** Return a function that reuses a link until it is about to expire. Failed requests are not cached. */
function cacheLink(fetch: () => Promise<string | null>): () => Promise<string> {
  let cached: { link: Promise<string | null>; fetchedAt: number } | undefined;
  return async () => {
    if (!cached || Date.now() - cached.fetchedAt > LINK_REUSE_MS) cached = { link: fetch(), fetchedAt: Date.now() };
    const current = cached;
    const link = await current.link.catch((error: unknown) => {
      if (cached === current) cached = undefined;
      throw error;
    });
    if (link === null) throw new Error("This file no longer exists.");
    return link;
  };
}
