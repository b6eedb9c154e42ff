/** The turns of a session: loaded once, then updated by their events. */
import { useCallback, useEffect, useReducer, useRef } from "react";
import { api, unwrap } from "../api/client";
import { followTurn } from "../api/followTurn";
import type { TurnEvent } from "../api/types";
import { showError } from "../shared/notifications";
import { applyEvents, type Turn, turnFromRecord } from "./turn";

export interface Turns {
  list: readonly Turn[];
  isLoading: boolean;
  /** Send a message with attached files (keys) and follow its turn. Throws ApiError. */
  send(sessionId: string, message: string, files: readonly string[]): Promise<void>;
  /** Load the events of a turn that has ended. */
  loadEvents(turn: Turn): void;
  cancel(turn: Turn): void;
}

interface State {
  list: readonly Turn[];
  isLoading: boolean;
}

type Action =
  | { type: "clear"; isLoading: boolean }
  | { type: "add"; turns: readonly Turn[] }
  | { type: "events"; turnId: string; events: readonly TurnEvent[]; live: boolean }
  | { type: "loaded" };

const EMPTY: State = { list: [], isLoading: false };

function reducer(state: State, action: Action): State {
  switch (action.type) {
    case "clear":
      return { list: [], isLoading: action.isLoading };
    case "add": {
      const knownIds = new Set(state.list.map((turn) => turn.turnId));
      const added = action.turns.filter((turn) => !knownIds.has(turn.turnId));
      return { ...state, list: [...state.list, ...added].sort((one, other) => (one.turnId < other.turnId ? -1 : 1)) };
    }
    case "events": {
      const { turnId, events, live } = action;
      return { ...state, list: state.list.map((turn) => (turn.turnId === turnId ? applyEvents(turn, events, live) : turn)) };
    }
    case "loaded":
      return { ...state, isLoading: false };
  }
}

/** How the page came to a turn: it sent the message, found the turn running, or found it ended. */
type Origin = "sent" | "running" | "ended";

/** The open session and the turns that the page follows in it. */
interface OpenSession {
  sessionId: string;
  controller: AbortController;
  followedIds: Set<string>;
}

/** `onLiveEvents` gets events while they happen, but not the events before the page found the turn. */
export function useTurns(sessionId: string | null, onLiveEvents: (events: readonly TurnEvent[]) => void): Turns {
  const [state, dispatch] = useReducer(reducer, EMPTY);
  const open = useRef<OpenSession | null>(null);
  const sendingTo = useRef(new Set<string>()); // ids of sessions with a message in flight

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

  useEffect(() => {
    dispatch({ type: "clear", isLoading: sessionId !== null });
    if (sessionId === null) return;
    const controller = new AbortController();
    open.current = { sessionId, controller, followedIds: new Set() };
    const onPage = (turns: Turn[]): void => {
      if (controller.signal.aborted) return;
      dispatch({ type: "add", turns });
      // The list may include a turn before the response to its message has arrived.
      const origin = sendingTo.current.has(sessionId) ? "sent" : "running";
      for (const turn of turns) if (turn.status === "running") follow(turn, origin);
    };
    loadTurns(sessionId, controller.signal, onPage)
      .catch((error: unknown) => controller.signal.aborted || showError(error))
      .finally(() => controller.signal.aborted || dispatch({ type: "loaded" }));
    return () => {
      controller.abort();
      open.current = null;
    };
  }, [sessionId, follow]);

  const send = async (targetId: string, message: string, files: readonly string[]): Promise<void> => {
    sendingTo.current.add(targetId);
    try {
      const turn = await postMessage(targetId, message, files);
      if (open.current?.sessionId !== targetId) return; // the user opened another session; reopening this one loads the turn
      dispatch({ type: "add", turns: [turn] });
      follow(turn, "sent");
    } finally {
      sendingTo.current.delete(targetId);
    }
  };

  const loadEvents = useCallback((turn: Turn) => follow(turn, "ended"), [follow]);

  return { ...state, send, loadEvents, cancel };
}

function cancel({ sessionId: session_id, turnId: turn_id }: Turn): void {
  const path = { session_id, turn_id };
  unwrap(api.DELETE("/api/sessions/{session_id}/turns/{turn_id}", { params: { path } })).catch(showError);
}

async function loadTurns(sessionId: string, signal: AbortSignal, onPage: (turns: Turn[]) => void): Promise<void> {
  const path = { session_id: sessionId };
  let cursor: string | null | undefined;
  do {
    const query = { limit: 100, ...(cursor ? { cursor } : {}) };
    const page = await unwrap(api.GET("/api/sessions/{session_id}", { params: { path, query }, signal }));
    onPage(page.turns.map((record) => turnFromRecord(record, sessionId)));
    cursor = page.cursor;
  } while (cursor);
}

const NEW_TURN = { status: "running", answer: "", error: null } as const;
const MAX_ATTEMPTS = 5;
const RETRY_DELAY_MS = 500;

/** Post a message and return its turn. The idempotency key makes retries safe: the same key starts one turn only. */
async function postMessage(sessionId: string, message: string, files: readonly string[]): Promise<Turn> {
  const header = { "idempotency-key": crypto.randomUUID() };
  for (let attemptsLeft = MAX_ATTEMPTS; ; attemptsLeft -= 1) {
    try {
      const params = { path: { session_id: sessionId }, header };
      const body = { message, files: [...files] };
      const { turn_id } = await unwrap(api.POST("/api/sessions/{session_id}/turns", { params, body }));
      return turnFromRecord({ ...NEW_TURN, turn_id, message, files: [...files], created_at: new Date().toISOString() }, sessionId);
    } catch (error) {
      const isConnectionLost = error instanceof Error && "status" in error && error.status === 0;
      if (!isConnectionLost || attemptsLeft <= 1) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    }
  }
}
