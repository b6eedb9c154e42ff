/** Parts of a multipart upload, and the search for an upload to resume. Pure. */

export interface Part {
  number: number;
  start: number;
  end: number;
}

/** Split a file size into parts; an empty file has one empty part. */
export function splitIntoParts(size: number, partBytes: number): Part[] {
  const count = Math.max(1, Math.ceil(size / partBytes));
  return Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    start: index * partBytes,
    end: Math.min(size, (index + 1) * partBytes),
  }));
}

/** Return the unfinished upload of the same file, if there is one. */
export function findResumable<U extends { name: string; size: number; session_id: string | null }>(
  uploads: readonly U[],
  file: { name: string; size: number },
  sessionId: string | null,
): U | undefined {
  return uploads.find(
    (upload) => upload.name === file.name && upload.size === file.size && upload.session_id === sessionId,
  );
}
