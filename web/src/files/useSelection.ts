import { useState } from "react";

import type { FileRecord } from "../api/types";

export interface Selection {
  /** The selected files, in the order of the list. */
  files: readonly FileRecord[];
  has(file: FileRecord): boolean;
  toggle(index: number): void;
  /** Select everything from the last toggled file, or else from `start`, to this one. */
  extendTo(index: number, start?: number): void;
  selectAll(): void;
  clear(): void;
}

/** Files that the user selected in a list. Files that leave the list leave the selection. */
export function useSelection(list: readonly FileRecord[]): Selection {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState<string | null>(null);
  const files = keys.size === 0 ? [] : list.filter(({ file_key }) => keys.has(file_key));
  return {
    files,
    has: ({ file_key }) => keys.has(file_key),
    toggle: (index) => {
      const key = list[index]?.file_key;
      if (key === undefined) return;
      setAnchor(key);
      setKeys((before) => new Set(before.has(key) ? [...before].filter((one) => one !== key) : [...before, key]));
    },
    extendTo: (index, start = index) => {
      const anchored = anchor === null ? -1 : list.findIndex(({ file_key }) => file_key === anchor);
      const from = anchored < 0 ? start : anchored;
      const between = list.slice(Math.min(from, index), Math.max(from, index) + 1).map(({ file_key }) => file_key);
      setKeys((before) => new Set([...before, ...between]));
      setAnchor(list[from]?.file_key ?? null);
    },
    selectAll: () => setKeys(new Set(list.map(({ file_key }) => file_key))),
    clear: () => {
      setKeys(new Set());
      setAnchor(null);
    },
  };
}
