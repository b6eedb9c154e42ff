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

interface Unfinished {
  name: string;
  size: number;
  session_id: string | null;
  app?: string | null | undefined;
}

/** Return the unfinished upload of the same file, if there is one. A file of an app has the tool of the app. */
export function findResumable<U extends Unfinished>(
  uploads: readonly U[],
  file: { name: string; size: number },
  sessionId: string | null,
  app: string | null = null,
): U | undefined {
  return uploads.find(
    (upload) =>
      upload.name === file.name &&
      upload.size === file.size &&
      upload.session_id === sessionId &&
      (upload.app ?? null) === app,
  );
}
