import { useEffect, useState } from "react";
import { texts } from "../../texts";

import { fetchBytes } from "../content";
import type { Item } from "../item";
import { type AsyncState, useAsync } from "../useAsync";

export interface FileText {
  text: string;
  /** False if the text is truncated. */
  isComplete: boolean;
}

const getVersionKey = (item: Item) => `${item.fileKey}@${item.version}`;

/** Load at most the first `maxBytes` of a text file. */
export function useFileText(item: Item, maxBytes: number): AsyncState<FileText> {
  return useAsync(getVersionKey(item), async () => {
    if (item.content !== null) return { text: item.content, isComplete: true };
    const { bytes, isComplete } = await fetchBytes(await item.link(), item.size, maxBytes);
    // With `stream`, the decoder drops a character that the truncation cut in half.
    return { text: new TextDecoder().decode(bytes, { stream: !isComplete }), isComplete };
  });
}

/** Load a whole file; fails if it is larger than `maxBytes`. */
export function useFileBytes(item: Item, maxBytes: number): AsyncState<Uint8Array<ArrayBuffer>> {
  return useAsync(getVersionKey(item), async () => {
    if (item.size > maxBytes) throw new Error(texts.viewers.tooLarge);
    return (await fetchBytes(await item.link(), item.size, maxBytes)).bytes;
  });
}

/** Return an object URL for bytes; it is revoked on unmount. */
export function useObjectUrl(bytes: Uint8Array<ArrayBuffer>, mime: string): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const objectUrl = URL.createObjectURL(new Blob([bytes], { type: mime }));
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [bytes, mime]);
  return url;
}
