import { useCallback, useEffect, useRef, useState } from "react";

import { api, unwrap } from "../api/client";
import type { FileRecord } from "../api/types";
import { errorMessage } from "../shared/notifications";
import { useSyncedState } from "../shared/useSyncedState";

export interface Filters {
  /** Only files of this session; null for all files of the user. */
  sessionId: string | null;
  source: FileRecord["source"] | null;
  category: string;
  /** Start of the name. */
  prefix: string;
}

export interface FileList {
  files: FileRecord[];
  hasMore: boolean;
  loading: boolean;
  error: string | null;
  loadMore(): void;
  reload(): void;
  /** Replace a file in the list; null removes it. */
  replace(fileKey: string, file: FileRecord | null): void;
}

const PAGE_SIZE = 30;

interface FilePages {
  files: FileRecord[];
  cursor: string | null;
}

/** Load the files that match the filters, page by page; start over when `reloadKey` changes. */
export function useFiles(filters: Filters, reloadKey: unknown): FileList {
  const { value: pages, update, read } = useSyncedState<FilePages>({ files: [], cursor: null });
  const [loading, setLoading] = useState(true);
  const [error, setError] = useState<string | null>(null);
  const [reloads, setReloads] = useState(0);
  const latestRequest = useRef(0);
  const { sessionId, source, category, prefix } = filters;

  const load = useCallback(
    async (cursor: string | null) => {
      latestRequest.current += 1;
      const request = latestRequest.current;
      const isLatest = () => latestRequest.current === request;
      setLoading(true);
      try {
        await read(fetchPage({ sessionId, source, category, prefix }, cursor), (current, next) =>
          isLatest() ? { ...next, files: [...(cursor ? current.files : []), ...next.files] } : current,
        );
        if (isLatest()) setError(null);
      } catch (failure) {
        if (isLatest()) setError(errorMessage(failure));
      }
      if (isLatest()) setLoading(false);
    },
    [sessionId, source, category, prefix, read],
  );

  useEffect(() => void load(null), [load, reloadKey, reloads]);

  const replace = (fileKey: string, replacement: FileRecord | null) =>
    update(({ files, cursor }) => ({
      cursor,
      files: files.flatMap((file) => (file.file_key === fileKey ? (replacement ? [replacement] : []) : [file])),
    }));
  return {
    files: pages.files,
    hasMore: pages.cursor !== null,
    loading,
    error,
    loadMore: () => void load(pages.cursor),
    reload: () => setReloads((count) => count + 1),
    replace,
  };
}

/** Fetch files until half a page is full: the API may return empty pages before the last. */
async function fetchPage({ sessionId, source, category, prefix }: Filters, start: string | null): Promise<FilePages> {
  const files: FileRecord[] = [];
  let cursor = start;
  do {
    const query = {
      limit: PAGE_SIZE,
      ...(sessionId && { session_id: sessionId }),
      ...(source && { source }),
      ...(category && { category }),
      ...(prefix && { name_prefix: prefix }),
      ...(cursor && { cursor }),
    };
    const page = await unwrap(api.GET("/api/files", { params: { query } }));
    files.push(...page.files);
    cursor = page.cursor ?? null;
  } while (cursor && files.length < PAGE_SIZE / 2);
  return { files, cursor };
}
