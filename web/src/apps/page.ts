/** The HTML page of an app, which is the content of its file. */
import { api, unwrap } from "../api/client";
import type { FileRecord } from "../api/types";
import { fetchContent } from "../canvas/content";
import { toSameOrigin } from "../canvas/item";
import { shared } from "./shared";

const MAX_BYTES = 16 << 20;

export interface AppPage {
  file: FileRecord;
  html: string;
}

/** Fetch the page: with its file if it is small, otherwise from the store. */
export const fetchPage = shared(async ({ file_key, version }): Promise<AppPage> => {
  const params = { path: { file_key }, query: { version } };
  const { b64, s3_ref: _, ...file } = await unwrap(api.GET("/api/files/{file_key}", { params }));
  if (typeof b64 === "string") return { file, html: decode(b64) };
  if (!file.download_url) throw new Error("This file no longer exists.");
  const { response } = await fetchContent(toSameOrigin(file.download_url), file.size, MAX_BYTES);
  return { file, html: await response.text() };
});

/** Return the text of Base64. A loop, because `Uint8Array.from` takes a tenth of a second for a megabyte. */
export function decode(b64: string): string {
  const text = atob(b64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return new TextDecoder().decode(bytes);
}
