/** Files as the canvas shows them, created from the files of a turn or from My Files. */
import { api, unwrap } from "../api/client";
import type { Artifact, Deferred, FileRecord } from "../api/types";

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
  /** Return a currently valid download link. Throws if the file no longer exists. */
  link(): Promise<string>;
}

/** Reuse a link for four minutes; it is valid for five. */
const LINK_REUSE_MS = 4 * 60_000;

/** Artifact types that are more specific than the media type of the stored file. */
const ARTIFACT_TYPES = new Set(["application/vnd.bibliography", "application/vnd.knowledge-graph"]);

/** Create an item for a file of a turn, in the version that this turn created. */
export function itemFromTurn(sessionId: string, turnId: string, file: Artifact | Deferred): Item {
  const artifact = "viewer" in file ? file : null;
  return {
    ...commonFields(file),
    ...(artifact && ARTIFACT_TYPES.has(artifact.type) ? { mime: artifact.type } : {}),
    title: artifact?.title || file.name,
    viewer: artifact?.viewer ?? "auto",
    language: artifact?.language ?? null,
    content: artifact?.content ?? null,
    link: cacheLink(() => fetchTurnLink(sessionId, turnId, file.file_key)),
  };
}

/** Create an item for a file of My Files, in its newest version. */
export function itemFromFile(file: FileRecord): Item {
  const params = { path: { file_key: file.file_key }, query: { content: false } };
  const fetchLink = async () => {
    const record = await unwrap(api.GET("/api/files/{file_key}", { params }));
    return record.download_url ? toSameOrigin(record.download_url) : null;
  };
  return {
    ...commonFields(file),
    title: file.name,
    viewer: file.viewer ?? "auto",
    language: null,
    content: null,
    link: cacheLink(fetchLink),
  };
}

function commonFields(file: Artifact | Deferred | FileRecord) {
  return {
    fileKey: file.file_key,
    version: file.version,
    name: file.name,
    mime: (file.mime.split(";")[0] ?? "").trim().toLowerCase(),
    size: file.size,
    description: file.description ?? null,
  };
}

/** Fetch a new link to the version of a file that a turn created; null if the file is gone. Throws ApiError. */
async function fetchTurnLink(sessionId: string, turnId: string, fileKey: string): Promise<string | null> {
  const path = { session_id: sessionId, turn_id: turnId };
  const turn = await unwrap(api.GET("/api/sessions/{session_id}/turns/{turn_id}", { params: { path } }));
  const files: (Artifact | Deferred)[] = [...turn.artifacts, ...turn.deferred_artifacts];
  const link = files.find((file) => file.file_key === fileKey)?.download_url;
  return link ? toSameOrigin(link) : null;
}

/** Make an API link relative: the page may reach the API under another host name than the link has. */
function toSameOrigin(link: string): string {
  const url = new URL(link, location.origin);
  return url.pathname.startsWith("/api/") ? url.pathname + url.search : link;
}

/** Return a function that reuses a link until it is about to expire. Failed requests are not cached. */
function cacheLink(fetchLink: () => Promise<string | null>): () => Promise<string> {
  let cached: { link: Promise<string | null>; fetchedAt: number } | undefined;
  return async () => {
    if (!cached || Date.now() - cached.fetchedAt > LINK_REUSE_MS) cached = { link: fetchLink(), fetchedAt: Date.now() };
    const current = cached;
    const link = await current.link.catch((error: unknown) => {
      if (cached === current) cached = undefined;
      throw error;
    });
    if (link === null) throw new Error("This file no longer exists.");
    return link;
  };
}
