/** Office files are ZIP archives. Reads one within limits: a small archive can unpack to far more than the memory. Pure. */
import { unzipSync, type UnzipFileInfo, zipSync } from "fflate";

export type Entries = Record<string, Uint8Array>;

export interface ArchiveLimits {
  /** Number of entries. */
  entries: number;
  /** Bytes of all entries, unpacked. */
  total: number;
  /** Bytes of one entry of XML, unpacked. */
  xml: number;
}

export const LIMITS: ArchiveLimits = { entries: 5_000, total: 128 << 20, xml: 16 << 20 };

/** Reason why a file is not shown. */
export type ArchiveFault = "damaged" | "too-large";

export class ArchiveError extends Error {
  constructor(readonly fault: ArchiveFault) {
    super(fault);
  }
}

/**
 * Unpack the entries whose paths match. Throws `ArchiveError`. The sizes that the archive states are checked before
 * anything is unpacked, and no entry gets more memory than it states: one that lies is cut off.
 */
export function unpack(bytes: Uint8Array, isWanted: (path: string) => boolean, limits: ArchiveLimits = LIMITS): Entries {
  let [count, total] = [0, 0];
  const filter = ({ name, originalSize }: UnzipFileInfo): boolean => {
    if (!isWanted(name)) return false;
    count += 1;
    total += originalSize;
    const isTooLarge = count > limits.entries || total > limits.total || (/\.(xml|rels)$/i.test(name) && originalSize > limits.xml);
    if (isTooLarge) throw new ArchiveError("too-large");
    return true;
  };
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    throw error instanceof ArchiveError ? error : new ArchiveError("damaged");
  }
}

/** Return an archive of the entries without compression, for libraries that unpack without limits. */
export function pack(entries: Entries): Uint8Array<ArrayBuffer> {
  return zipSync(entries, { level: 0 });
}
