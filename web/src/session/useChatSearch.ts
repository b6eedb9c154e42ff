/** Search of the server over titles and messages of all chats. */
import { useEffect, useState } from "react";
import { api, unwrap } from "../api/client";
import type { ChatMatch } from "../api/types";
import { showError } from "../shared/notifications";

const DELAY_MS = 250; // so that typing a word is one search
const MAX_MATCHES = 50;

export interface ChatSearch {
  matches: readonly ChatMatch[];
  isSearching: boolean;
  /** Search again, because a found chat has changed. */
  refresh(): void;
}

type State = Omit<ChatSearch, "refresh">;

const NOTHING: State = { matches: [], isSearching: false };

/** Return the chats that the server finds for the query, newest first. It reads on until there are enough. */
export function useChatSearch(query: string): ChatSearch {
  const [search, setSearch] = useState(NOTHING);
  const [version, setVersion] = useState(0);
  useEffect(() => {
    if (query === "") return setSearch(NOTHING);
    setSearch(({ matches }) => ({ matches, isSearching: true }));
    const controller = new AbortController();
    const timer = setTimeout(() => {
      findChats(query, controller.signal, setSearch).catch((error: unknown) => {
        if (controller.signal.aborted) return;
        setSearch(NOTHING);
        showError(error);
      });
    }, DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [query, version]);
  return { ...search, refresh: () => setVersion((before) => before + 1) };
}

async function findChats(query: string, signal: AbortSignal, show: (search: State) => void): Promise<void> {
  const matches: ChatMatch[] = [];
  let cursor: string | null = null;
  do {
    const params = { query: { query, ...(cursor === null ? {} : { cursor }) } };
    const page: { matches: ChatMatch[]; cursor?: string | null | undefined } = await unwrap(api.GET("/api/conversations", { params, signal }));
    matches.push(...page.matches.filter(({ session }) => session.status === "active"));
    cursor = page.cursor ?? null;
    if (!signal.aborted) show({ matches: [...matches], isSearching: cursor !== null && matches.length < MAX_MATCHES });
  } while (cursor !== null && matches.length < MAX_MATCHES && !signal.aborted);
}
