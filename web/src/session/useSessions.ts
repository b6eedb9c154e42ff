/** The person's sessions, newest first, and what is done with them. */
import { useCallback, useEffect } from "react";
import { api, ask } from "../api/client";
import type { Session } from "../api/types";
import { explain } from "../shared/toasts";
import { type Change, useReading } from "../shared/useReading";

export interface Sessions {
  list: readonly Session[];
  hasMore: boolean;
  more(): void;
  /** Start one; `title` says what it is about, `model` null: the deployment's. Throws ApiError. */
  start(title: string, model: string | null): Promise<Session>;
  /** Give it another title, or another model from its next turn on. Throws ApiError. */
  change(sessionId: string, to: { title: string } | { model: string }): Promise<void>;
  end(sessionId: string): Promise<void>;
}

const TITLE_CHARS = 60;

interface Known {
  list: readonly Session[];
  /** Where to read on; null: these are all. */
  cursor: string | null;
}

export function useSessions(): Sessions {
  const { value: known, change: changeList, read } = useReading<Known>({ list: [], cursor: null });

  const load = useCallback(
    (after: string | null) => {
      const query = after === null ? {} : { cursor: after };
      return read(ask(api.GET("/api/sessions", { params: { query } })), ({ list }, page) => ({
        list: [...(after === null ? [] : list), ...page.sessions],
        cursor: page.cursor ?? null,
      }));
    },
    [read],
  );

  useEffect(() => void load(null).catch(explain), [load]);

  const change = (by: Change<readonly Session[]>): void =>
    changeList(({ list, cursor }) => ({ list: by(list), cursor }));
  const replace = (sessionId: string, by: Partial<Session>): void =>
    change((list) => list.map((one) => (one.session_id === sessionId ? { ...one, ...by } : one)));

  return {
    list: known.list.filter((session) => session.status === "active"),
    hasMore: known.cursor !== null,
    more: () => void load(known.cursor).catch(explain),
    async start(title, model) {
      const session = await ask(api.POST("/api/sessions", { body: { title: shortened(title), model } }));
      change((list) => [session, ...list.filter((one) => one.session_id !== session.session_id)]);
      return session;
    },
    async change(sessionId, to) {
      const params = { path: { session_id: sessionId } };
      replace(sessionId, await ask(api.PATCH("/api/sessions/{session_id}", { params, body: to })));
    },
    async end(sessionId) {
      await ask(api.DELETE("/api/sessions/{session_id}", { params: { path: { session_id: sessionId } } }));
      replace(sessionId, { status: "ended" });
    },
  };
}

/** The first line of a message, short enough for a list. */
export function shortened(message: string): string {
  const line = message.trim().split("\n", 1)[0] ?? "";
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).trimEnd()}…` : line;
}
