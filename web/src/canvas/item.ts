/** A file as the canvas shows it, wherever it was asked for: in a turn or in My Files. */
import { api, ask } from "../api/client";
import { freshLink, here } from "../api/links";
import type { Artifact, Deferred, FileOut } from "../api/types";

export interface Item {
  fileKey: string;
  version: number;
  name: string;
  title: string;
  /** Type and subtype, in lower case, without parameters. */
  mime: string;
  size: number;
  /** `image`, `pdf`, `html`, `code`, `data`, `audio`, `video` or `auto`; what the tool said, or what the type says. */
  viewer: string;
  description: string | null;
  language: string | null;
  /** The text itself, where it is short. */
  content: string | null;
  /** A link that can be followed now. Throws where the file is gone. */
  link(): Promise<string>;
}

/** How long a link is used before another is asked for; it lives five minutes. */
const LINK_MS = 4 * 60_000;

/** They say more than the type under which the file is stored. */
const TYPES_OF_SPEC_5 = new Set(["application/vnd.bibliography", "application/vnd.knowledge-graph"]);

const GONE = "This file is not there any more.";

/** Return a file that a turn made, in that turn's version. */
export function itemOfTurn(sessionId: string, turnId: string, file: Artifact | Deferred): Item {
  const artifact = "viewer" in file ? file : null;
  return {
    ...shared(file),
    ...(artifact && TYPES_OF_SPEC_5.has(artifact.type) ? { mime: artifact.type } : {}),
    title: artifact?.title || file.name,
    viewer: artifact?.viewer ?? "auto",
    language: artifact?.language ?? null,
    content: artifact?.content ?? null,
    link: remembered(() => freshLink(sessionId, turnId, file.file_key)),
  };
}

/** Return a file of My Files, in its newest version. */
export function itemOfFile(file: FileOut): Item {
  const params = { path: { file_key: file.file_key }, query: { content: false } };
  const link = async () => {
    const read = await ask(api.GET("/api/files/{file_key}", { params }));
    return read.download_url ? here(read.download_url) : null;
  };
  return {
    ...shared(file),
    title: file.name,
    viewer: file.viewer ?? "auto",
    language: null,
    content: null,
    link: remembered(link),
  };
}

function shared(file: Artifact | Deferred | FileOut) {
  return {
    fileKey: file.file_key,
    version: file.version,
    name: file.name,
    mime: (file.mime.split(";")[0] ?? "").trim().toLowerCase(),
    size: file.size,
    description: file.description ?? null,
  };
}

function remembered(find: () => Promise<string | null>): () => Promise<string> {
  let known: { link: Promise<string | null>; at: number } | undefined;
  return async () => {
    if (!known || Date.now() - known.at > LINK_MS) known = { link: find(), at: Date.now() };
    const asked = known;
    const link = await asked.link.catch((error: unknown) => {
      if (known === asked) known = undefined;
      throw error;
    });
    if (link === null) throw new Error(GONE);
    return link;
  };
}
