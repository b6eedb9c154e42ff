/** The user's sessions, newest first, and the operations on them. */
import { useCallback, useEffect } from "react";
import { api, unwrap } from "../api/client";
import type { Session, SessionWithTurns } from "../api/types";
import { showError } from "../shared/notifications";
import { type Change, useSyncedState } from "../shared/useSyncedState";
import { toWords } from "../tools/description";

export type SessionChange = { title: string } | { model: string } | { pinned: boolean } | { archived: boolean };

export interface Sessions {
  list: readonly Session[];
  hasMore: boolean;
  loadMore(): void;
  /** Whether the first page of the list has been loaded. */
  isLoaded: boolean;
  /**
   * Start a session. Without a title, the first message gives it one. A null `model` means the deployment's default.
   * Throws ApiError.
   */
  start(title: string | null, model: string | null, temporary: boolean): Promise<Session>;
  /** Read a session again: the model has given it a title, or it is a temporary one, which the list does not have. */
  refresh(sessionId: string): void;
  /** Change the title, or the model of all later turns. Throws ApiError. */
  change(sessionId: string, changes: SessionChange): Promise<void>;
  /** Set whether a tool of the session's running turn asks the user a question, as its events say. */
  setWaiting(sessionId: string, waits: boolean): void;
  /** Throws ApiError. */
  end(sessionId: string): Promise<void>;
}

const MAX_TITLE_CHARS = 60;

interface LoadedSessions {
  list: readonly Session[];
  /** Cursor of the next page; null after the last page. */
  cursor: string | null;
  isLoaded: boolean;
}

export function useSessions(): Sessions {
  const { value: loaded, update, read } = useSyncedState<LoadedSessions>({ list: [], cursor: null, isLoaded: false });

  const load = useCallback(
    (cursor: string | null) => {
      const query = cursor === null ? {} : { cursor };
      return read(unwrap(api.GET("/api/sessions", { params: { query } })), ({ list }, page) => ({
        list: [...(cursor === null ? list.filter((one) => one.temporary) : list), ...page.sessions],
        cursor: page.cursor ?? null,
        isLoaded: true,
      }));
    },
    [read],
  );

  useEffect(() => void load(null).catch(showError), [load]);

  const updateList = (change: Change<readonly Session[]>): void =>
    update(({ list, ...rest }) => ({ list: change(list), ...rest }));
  const updateSession = (sessionId: string, changes: Partial<Session>): void =>
    updateList((list) => list.map((one) => (one.session_id === sessionId ? { ...one, ...changes } : one)));

  return {
    list: loaded.list.filter((session) => session.status === "active"),
    hasMore: loaded.cursor !== null,
    isLoaded: loaded.isLoaded,
    loadMore: () => void load(loaded.cursor).catch(showError),
    async start(title, model, temporary) {
      const body = { title: title === null ? null : titleFrom(title), model, ...(temporary && { temporary }) };
      const session = await unwrap(api.POST("/api/sessions", { body }));
      updateList((list) => [session, ...list.filter((one) => one.session_id !== session.session_id)]);
      return session;
    },
    refresh(sessionId) {
      const params = { path: { session_id: sessionId }, query: { limit: 1 } };
      read(unwrap(api.GET("/api/sessions/{session_id}", { params })), ({ list, ...rest }, session) => ({
        list: withSession(list, session),
        ...rest,
      })).catch(() => undefined); // the chat itself says what is wrong with the session: an error needs no second message
    },
    async change(sessionId, changes) {
      const params = { path: { session_id: sessionId } };
      updateSession(sessionId, await unwrap(api.PATCH("/api/sessions/{session_id}", { params, body: changes })));
    },
    setWaiting: (sessionId, waits) => updateSession(sessionId, { waits_for_user: waits }),
    async end(sessionId) {
      await unwrap(api.DELETE("/api/sessions/{session_id}", { params: { path: { session_id: sessionId } } }));
      updateSession(sessionId, { status: "ended" });
    },
  };
}

/** Return the list with a session as it was read again. A temporary one is not in the list before. */
function withSession(list: readonly Session[], response: SessionWithTurns): readonly Session[] {
  const { turns: _, cursor: __, instructions: ___, ...session } = response;
  const isMissing = list.every((one) => one.session_id !== session.session_id);
  if (session.temporary && isMissing) return [...list, session];
  return list.map((one) => (one.session_id === session.session_id ? session : one));
}

const CALL = /^\/([\w-]+)\.([\w-]+)(?: (\{.*))?$/;

/** Return the first line of a message, truncated to fit the list; of a call, the words of its tool and its main argument. */
export function titleFrom(message: string): string {
  const firstLine = message.trim().split("\n", 1)[0] ?? "";
  const [, server, tool, json] = CALL.exec(firstLine) ?? [];
  const line = tool === undefined ? firstLine : `${toWords(tool)} ${(json && mainArgument(json)) || `(${server})`}`;
  return line.length > MAX_TITLE_CHARS ? `${line.slice(0, MAX_TITLE_CHARS - 1).trimEnd()}…` : line;
}

/** Return the first argument that is a text or a number: tools name what they work on first. Null without one. */
function mainArgument(json: string): string | null {
  try {
    const values = Object.values(JSON.parse(json) as Record<string, unknown>);
    const main = values.find((value) => (typeof value === "string" && value.trim()) || typeof value === "number");
    return main === undefined ? null : String(main).trim().replaceAll(/\s+/g, " ");
  } catch {
    return null; // it ends in a later line
  }
}
