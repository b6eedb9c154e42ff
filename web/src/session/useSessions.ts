/** The person's sessions, newest first, and what is done with them. */
import { useCallback, useEffect, useState } from "react";
import { api, ask } from "../api/client";
import type { Session } from "../api/types";
import { explain } from "../shared/toasts";

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

export function useSessions(): Sessions {
  const [list, setList] = useState<readonly Session[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);

  const load = useCallback(async (after: string | null) => {
    const query = after === null ? {} : { cursor: after };
    const page = await ask(api.GET("/api/sessions", { params: { query } }));
    setList((before) => [...(after === null ? [] : before), ...page.sessions]);
    setCursor(page.cursor ?? null);
  }, []);

  useEffect(() => void load(null).catch(explain), [load]);

  const replace = (sessionId: string, by: Partial<Session>): void =>
    setList((before) => before.map((one) => (one.session_id === sessionId ? { ...one, ...by } : one)));

  return {
    list: list.filter((session) => session.status === "active"),
    hasMore: cursor !== null,
    more: () => void load(cursor).catch(explain),
    async start(title, model) {
      const session = await ask(api.POST("/api/sessions", { body: { title: shortened(title), model } }));
      setList((before) => [session, ...before]);
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
