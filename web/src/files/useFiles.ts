import { useCallback, useEffect, useRef, useState } from "react";

import { api, ask } from "../api/client";
import type { FileOut } from "../api/types";
import { messageOf } from "../shared/errors";
import { useReading } from "../shared/useReading";

export interface Filters {
  /** Only files of this session; null: all of the person's. */
  sessionId: string | null;
  source: FileOut["source"] | null;
  category: string;
  prefix: string;
}

export interface FileList {
  files: FileOut[];
  /** Whether more can be asked for. */
  more: boolean;
  loading: boolean;
  error: string | null;
  loadMore(): void;
  reload(): void;
  /** Put a file in the place of what is known of it, or take it away. */
  replace(fileKey: string, file: FileOut | null): void;
}

const A_PAGE = 30;

interface Known {
  files: FileOut[];
  cursor: string | null;
}

/** The files that fit, page by page; asked for anew when `occasion` changes. */
export function useFiles(filters: Filters, occasion: unknown): FileList {
  const { value: known, change, read } = useReading<Known>({ files: [], cursor: null });
  const [loading, setLoading] = useState(true);
  const [error, setError] = useState<string | null>(null);
  const [again, setAgain] = useState(0);
  const wanted = useRef(0);
  const { sessionId, source, category, prefix } = filters;

  const load = useCallback(
    async (cursor: string | null) => {
      wanted.current += 1;
      const mine = wanted.current;
      setLoading(true);
      try {
        await read(pageOf({ sessionId, source, category, prefix }, cursor), (before, next) =>
          wanted.current === mine ? { ...next, files: [...(cursor ? before.files : []), ...next.files] } : before,
        );
        if (wanted.current === mine) setError(null);
      } catch (failure) {
        if (wanted.current === mine) setError(messageOf(failure));
      }
      if (wanted.current === mine) setLoading(false);
    },
    [sessionId, source, category, prefix, read],
  );

  useEffect(() => void load(null), [load, occasion, again]);

  const replace = (fileKey: string, file: FileOut | null) =>
    change(({ files, cursor }) => ({
      cursor,
      files: files.flatMap((each) => (each.file_key === fileKey ? (file ? [file] : []) : [each])),
    }));
  return {
    files: known.files,
    more: known.cursor !== null,
    loading,
    error,
    loadMore: () => void load(known.cursor),
    reload: () => setAgain((count) => count + 1),
    replace,
  };
}

/** Ask on until there is something to show: a page may hold nothing while others follow. */
async function pageOf({ sessionId, source, category, prefix }: Filters, start: string | null): Promise<Known> {
  const files: FileOut[] = [];
  let cursor = start;
  do {
    const query = {
      limit: A_PAGE,
      ...(sessionId && { session_id: sessionId }),
      ...(source && { source }),
      ...(category && { category }),
      ...(prefix && { name_prefix: prefix }),
      ...(cursor && { cursor }),
    };
    const page = await ask(api.GET("/api/files", { params: { query } }));
    files.push(...page.files);
    cursor = page.cursor ?? null;
  } while (cursor && files.length < A_PAGE / 2);
  return { files, cursor };
}
