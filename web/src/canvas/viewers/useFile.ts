import { useEffect, useState } from "react";

import { readHead } from "../content";
import type { Item } from "../item";
import { type Loaded, useLoaded } from "../useLoaded";

export interface Text {
  text: string;
  whole: boolean;
}

/** What is played is held in memory as a whole. */
export const MOST_MEDIA_BYTES = 128 << 20;

const key = (item: Item) => `${item.fileKey}@${item.version}`;

/** Read the beginning of a text. */
export function useText(item: Item, most: number): Loaded<Text> {
  return useLoaded(key(item), async () => {
    if (item.content !== null) return { text: item.content, whole: true };
    const { bytes, whole } = await readHead(await item.link(), item.size, most);
    // What was cut may end within a character: as a stream, the rest of it is waited for.
    return { text: new TextDecoder().decode(bytes, { stream: !whole }), whole };
  });
}

/** Read all bytes of a file that has no more than `most`. */
export function useBytes(item: Item, most: number): Loaded<Uint8Array<ArrayBuffer>> {
  return useLoaded(key(item), async () => {
    if (item.size > most) throw new Error("This file is too large to be shown here.");
    return (await readHead(await item.link(), item.size, most)).bytes;
  });
}

/** Give bytes an address within this page, for as long as they are shown. */
export function useObjectUrl(bytes: Uint8Array<ArrayBuffer>, mime: string): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: mime }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, mime]);
  return address;
}
