import { useCallback, useEffect, useRef, useState } from "react";

import { api, unwrap } from "../api/client";
import type { FileRecord } from "../api/types";
import { errorMessage } from "../shared/notifications";
import { useSyncedState } from "../shared/useSyncedState";

export interface Filters {
  /** Only files of this session; null for all files of the user. */
  sessionId: string | null;
  source: FileRecord["source"] | null;
}

export interface FileList {
  files: readonly FileRecord[];
  hasMore: boolean;
  loading: boolean;
  error: string | null;
  reload(): void;
  /** Replace a file in the list; null removes it. */
  replace(fileKey: string, file: FileRecord | null): void;
}

/** The maximum of the API. */
export const PAGE_SIZE = 100;

interface FilePages {
  files: readonly FileRecord[];
  /** Files of before a reload. They stay in the list until it is as long as before, so that it does not jump. */
  stale: readonly FileRecord[];
  cursor: string | null;
}

const NO_PAGES: FilePages = { files: [], stale: [], cursor: null };

/** Load at least `minCount` of the files that match the filters, newest first; start over when `reloadKey` changes. */
export function useFiles({ sessionId, source }: Filters, reloadKey: unknown, minCount: number): FileList {
  const { value: pages, update, read } = useSyncedState(NO_PAGES);
  const [loading, setLoading] = useState(true);
  const [error, setError] = useState<string | null>(null);
  const [reloads, setReloads] = useState(0);
  const latestRequest = useRef(0);

  const load = useCallback(
    async (cursor: string | null) => {
      latestRequest.current += 1;
      const request = latestRequest.current;
      const isLatest = () => latestRequest.current === request;
      setLoading(true);
      try {
        await read(fetchPage({ sessionId, source }, cursor), (current, next) =>
          isLatest() ? merge(current, next, cursor === null) : current,
        );
        if (isLatest()) setError(null);
      } catch (failure) {
        if (isLatest()) setError(errorMessage(failure));
      }
      if (isLatest()) setLoading(false);
    },
    [sessionId, source, read],
  );

  useEffect(() => update(() => NO_PAGES), [sessionId, source, update]);
  useEffect(() => void load(null), [load, reloadKey, reloads]);
  const { files, stale, cursor } = pages;
  useEffect(() => {
    if (cursor !== null && files.length < minCount && !loading && error === null) void load(cursor);
  }, [cursor, files, minCount, loading, error, load]);

  const replace = (fileKey: string, replacement: FileRecord | null) => {
    const change = (list: readonly FileRecord[]) =>
      list.flatMap((file) => (file.file_key === fileKey ? (replacement ? [replacement] : []) : [file]));
    update((current) => ({ ...current, files: change(current.files), stale: change(current.stale) }));
  };
  return {
    files: stale.length > 0 ? joinFiles(files, stale) : files,
    hasMore: cursor !== null,
    loading,
    error,
    reload: () => setReloads((count) => count + 1),
    replace,
  };
}

function merge(current: FilePages, next: FilePages, isFirst: boolean): FilePages {
  const shown = isFirst ? joinFiles(current.files, current.stale) : current.stale;
  const files = isFirst ? next.files : joinFiles(current.files, next.files);
  const isDone = next.cursor === null || files.length >= shown.length;
  return { files, stale: isDone ? [] : shown, cursor: next.cursor };
}

/** Return the files of both lists, each once. */
function joinFiles(first: readonly FileRecord[], second: readonly FileRecord[]): readonly FileRecord[] {
  const keys = new Set(first.map(({ file_key }) => file_key));
  return [...first, ...second.filter(({ file_key }) => !keys.has(file_key))];
}

/** Fetch files until half a page is full: the API may return empty pages before the last. */
async function fetchPage({ sessionId, source }: Filters, start: string | null): Promise<FilePages> {
  const files: FileRecord[] = [];
  let cursor = start;
  do {
    const query = {
      limit: PAGE_SIZE,
      ...(sessionId && { session_id: sessionId }),
      ...(source && { source }),
      ...(cursor && { cursor }),
    };
    const page = await unwrap(api.GET("/api/files", { params: { query } }));
    files.push(...page.files);
    cursor = page.cursor ?? null;
  } while (cursor && files.length < PAGE_SIZE / 2);
  return { files, stale: [], cursor };
}
