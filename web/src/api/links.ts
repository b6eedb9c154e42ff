/** Links to files: short-lived, so they are asked for when they are used. */
import { api, ask } from "./client";
import type { Artifact, Deferred } from "./types";

/** Return a link as this page may follow it: the API is reached where the page is, by whatever name that is. */
export function here(link: string): string {
  const url = new URL(link, location.origin);
  return url.pathname.startsWith("/api/") ? url.pathname + url.search : link;
}

/**
 * Ask for a fresh link to a file as a turn made it: that version, even when a later turn has made it again.
 * Returns null where the file is gone. Throws ApiError.
 */
export async function freshLink(sessionId: string, turnId: string, fileKey: string): Promise<string | null> {
  const path = { session_id: sessionId, turn_id: turnId };
  const turn = await ask(api.GET("/api/sessions/{session_id}/turns/{turn_id}", { params: { path } }));
  const files: (Artifact | Deferred)[] = [...turn.artifacts, ...turn.deferred_artifacts];
  const link = files.find((file) => file.file_key === fileKey)?.download_url;
  return link ? here(link) : null;
}
