/** The HTML page of an app, which is the content of its file. */
import { api, unwrap } from "../api/client";
import type { FileRecord } from "../api/types";
import { fetchContent } from "../canvas/content";
import { toSameOrigin } from "../canvas/item";

const MAX_BYTES = 16 << 20;

/** Fetch the page: with its file if it is small, otherwise from the store. */
export async function fetchPage({ file_key, version }: { file_key: string; version: number }): Promise<{ file: FileRecord; html: string }> {
  const params = { path: { file_key }, query: { version } };
  const { b64, s3_ref: _, ...file } = await unwrap(api.GET("/api/files/{file_key}", { params }));
  if (typeof b64 === "string") return { file, html: decode(b64) };
  if (!file.download_url) throw new Error("This file no longer exists.");
  const { response } = await fetchContent(toSameOrigin(file.download_url), file.size, MAX_BYTES);
  return { file, html: await response.text() };
}

function decode(b64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(b64), (char) => char.charCodeAt(0)));
}
