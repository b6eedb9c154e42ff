/** Which parts a file has, and which of them must still be sent. Pure. */

export interface Part {
  number: number;
  start: number;
  end: number;
}

/** Cut a file of so many bytes into parts; an empty file is one empty part. */
export function partsOf(size: number, partBytes: number): Part[] {
  const count = Math.max(1, Math.ceil(size / partBytes));
  return Array.from({ length: count }, (_, at) => ({
    number: at + 1,
    start: at * partBytes,
    end: Math.min(size, (at + 1) * partBytes),
  }));
}

/** Find the upload of this very file that was broken off. */
export function resumable<U extends { name: string; size: number; session_id: string | null }>(
  uploads: readonly U[],
  file: { name: string; size: number },
  sessionId: string | null,
): U | undefined {
  return uploads.find((one) => one.name === file.name && one.size === file.size && one.session_id === sessionId);
}
