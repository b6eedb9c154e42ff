/** The turns of a session: loaded once, then updated by their events. */
import { startTransition, useCallback, useEffect, useReducer, useRef } from "react";
import { api, followTurn, unwrap } from "../api/client";
import type { TurnEvent } from "../api/types";
import { takeModelContext } from "../apps/chat";
import { showError } from "../shared/notifications";
import { applyEvents, type Turn, turnFromRecord } from "./turn";

export interface Turns {
  list: readonly Turn[];
  isLoading: boolean;
  /** Whether the session has turns before the first of the list. */
  hasOlder: boolean;
  loadOlder(): void;
  /** Number of messages that this page has sent. */
  sentCount: number;
  /** Send a message and follow its turn. Throws ApiError. */
  send(sessionId: string, message: NewMessage): Promise<void>;
  /** Load the events of a turn that has ended. */
  loadEvents(turn: Turn): void;
  cancel(turn: Turn): void;
}

export interface NewMessage {
  text: string;
  /** Keys of the attached files. */
  files: readonly string[];
  /** The tools that the model may use; null allows all. */
  tools: readonly string[] | null;
  /** The turn that the message follows (`branches.ts`); null: the newest. */
  after: string | null;
}

interface State {
  list: readonly Turn[];
  isLoading: boolean;
  /** Cursor of the page with older turns; null if there are none. */
  cursor: string | null;
  sentCount: number;
}

type Action =
  | { type: "clear"; isLoading: boolean }
  | { type: "add"; turns: readonly Turn[] }
  | { type: "page"; cursor: string | null }
  | { type: "sent" }
  | { type: "events"; turnId: string; events: readonly TurnEvent[]; live: boolean };

const EMPTY: State = { list: [], isLoading: false, cursor: null, sentCount: 0 };
const PAGE_SIZE = 20; // more turns would be rendered in one task, which blocks the page

function reducer(state: State, action: Action): State {
  switch (action.type) {
    case "clear":
      return { ...EMPTY, isLoading: action.isLoading, sentCount: state.sentCount };
    case "add": {
      const knownIds = new Set(state.list.map((turn) => turn.turnId));
      const added = action.turns.filter((turn) => !knownIds.has(turn.turnId));
      return { ...state, list: [...state.list, ...added].sort((one, other) => (one.turnId < other.turnId ? -1 : 1)) };
    }
    case "events": {
      const { turnId, events, live } = action;
      return { ...state, list: state.list.map((turn) => (turn.turnId === turnId ? applyEvents(turn, events, live) : turn)) };
    }
    case "page":
      return { ...state, isLoading: false, cursor: action.cursor };
    case "sent":
      return { ...state, sentCount: state.sentCount + 1 };
  }
}

/** How the page came to a turn: it sent the message, found the turn running, or found it ended. */
type Origin = "sent" | "running" | "ended";

/** The open session and the turns that the page follows in it. */
interface OpenSession {
  sessionId: string;
  controller: AbortController;
  followedIds: Set<string>;
  /** Cursor of the latest request for turns; undefined before the first. */
  loadingCursor: string | null | undefined;
}

/** `onLiveEvents` gets events while they happen, but not the events before the page found the turn. */
export function useTurns(sessionId: string | null, onLiveEvents: (events: readonly TurnEvent[]) => void): Turns {
  const [state, dispatch] = useReducer(reducer, EMPTY);
  const open = useRef<OpenSession | null>(null);
  const sending = useRef(new Map<string, Promise<void>>()); // by session; fulfilled when no message is in flight

  const follow = useCallback(
    (turn: Turn, origin: Origin) => {
      if (open.current?.sessionId !== turn.sessionId || open.current.followedIds.has(turn.turnId)) return;
      open.current.followedIds.add(turn.turnId);
      let isLive = origin === "sent"; // the first batch of a turn found running holds past events
      const onEvents = (events: TurnEvent[]): void => {
        dispatch({ type: "events", turnId: turn.turnId, events, live: origin !== "ended" });
        if (isLive) onLiveEvents(events);
        isLive = origin !== "ended";
      };
      const { signal } = open.current.controller;
      followTurn({ sessionId: turn.sessionId, turnId: turn.turnId, after: turn.seq, onEvents, signal }).catch(showError);
    },
    [onLiveEvents],
  );

  /** Follow a listed turn. The list may include it before the response to its message, which says that this page sent it. */
  const followListed = useCallback(
    async (turn: Turn, origin: Exclude<Origin, "sent">): Promise<void> => {
      await sending.current.get(turn.sessionId);
      follow(turn, origin);
    },
    [follow],
  );

  /** Load the newest turns, or those before a cursor. */
  const loadPage = useCallback(
    async (cursor: string | null): Promise<void> => {
      const session = open.current;
      if (session === null || session.loadingCursor === cursor) return;
      session.loadingCursor = cursor;
      const { signal } = session.controller;
      try {
        const page = await fetchTurns(session.sessionId, cursor, signal);
        if (signal.aborted) return;
        const add = (): void => {
          dispatch({ type: "add", turns: page.turns });
          dispatch({ type: "page", cursor: page.cursor });
        };
        // Older turns are rendered in small tasks, so that the page scrolls meanwhile.
        if (cursor === null) add();
        else startTransition(add);
        for (const turn of page.turns) if (turn.status === "running") void followListed(turn, "running");
      } catch (error) {
        if (signal.aborted) return;
        dispatch({ type: "page", cursor: null });
        showError(error);
      }
    },
    [followListed],
  );

  useEffect(() => {
    dispatch({ type: "clear", isLoading: sessionId !== null });
    if (sessionId === null) return;
    const controller = new AbortController();
    open.current = { sessionId, controller, followedIds: new Set(), loadingCursor: undefined };
    void loadPage(null);
    return () => {
      controller.abort();
      open.current = null;
    };
  }, [sessionId, loadPage]);

  const post = async (targetId: string, message: NewMessage): Promise<void> => {
    const turn = await postMessage(targetId, message);
    if (open.current?.sessionId !== targetId) return; // the user opened another session; reopening this one loads the turn
    dispatch({ type: "add", turns: [turn] });
    dispatch({ type: "sent" });
    follow(turn, "sent");
  };
  const send: Turns["send"] = (targetId, message) => {
    const sent = post(targetId, message);
    const earlier = sending.current.get(targetId);
    const settled = (): typeof earlier => earlier;
    sending.current.set(targetId, sent.then(settled, settled));
    return sent;
  };

  const loadEvents = useCallback((turn: Turn) => void followListed(turn, "ended"), [followListed]);

  const { cursor, ...shown } = state;
  const loadOlder = useCallback(() => void loadPage(cursor), [loadPage, cursor]);
  return { ...shown, hasOlder: cursor !== null, loadOlder, send, loadEvents, cancel };
}

function cancel({ sessionId: session_id, turnId: turn_id }: Turn): void {
  const path = { session_id, turn_id };
  unwrap(api.DELETE("/api/sessions/{session_id}/turns/{turn_id}", { params: { path } })).catch(showError);
}

async function fetchTurns(sessionId: string, cursor: string | null, signal: AbortSignal): Promise<TurnPage> {
  const path = { session_id: sessionId };
  const query = { limit: PAGE_SIZE, newest_first: true, ...(cursor ? { cursor } : {}) };
  const page = await unwrap(api.GET("/api/sessions/{session_id}", { params: { path, query }, signal }));
  return { turns: page.turns.map((record) => turnFromRecord(record, sessionId)), cursor: page.cursor ?? null };
}

interface TurnPage {
  turns: readonly Turn[];
  cursor: string | null;
}

const NEW_TURN = { status: "running", answer: "", error: null } as const;

/** Post a message and return its turn. */
async function postMessage(sessionId: string, { text: message, files, tools, after }: NewMessage): Promise<Turn> {
  const context = takeModelContext(sessionId);
  const params = { path: { session_id: sessionId } };
  const body = { message, files: [...files], context: [...context], ...(tools && { tools: [...tools] }), ...(after !== null && { after }) };
  const { turn_id } = await unwrap(api.POST("/api/sessions/{session_id}/turns", { params, body }));
  return turnFromRecord({ ...NEW_TURN, turn_id, message, after, files: [...files], created_at: new Date().toISOString() }, sessionId);
}
