/** The turns of a session: read once, then followed by their events. */
import { useCallback, useEffect, useReducer, useRef } from "react";
import { api, ask } from "../api/client";
import { follow } from "../api/follow";
import type { TurnEvent } from "../api/types";
import { explain } from "../shared/toasts";
import { type Turn, turnOf, withEvents } from "./turn";

export interface Turns {
  list: readonly Turn[];
  isLoading: boolean;
  /** Send a message; the turn is followed from then on. Throws ApiError. */
  send(sessionId: string, message: string): Promise<void>;
  /** Bring what is not there yet of a turn that has ended. */
  read(turn: Turn): void;
  cancel(turn: Turn): void;
}

interface State {
  list: readonly Turn[];
  isLoading: boolean;
}

type Action =
  | { do: "clear"; isLoading: boolean }
  | { do: "add"; turns: readonly Turn[] }
  | { do: "events"; turnId: string; events: readonly TurnEvent[]; live: boolean }
  | { do: "loaded" };

const EMPTY: State = { list: [], isLoading: false };

function reduce(state: State, action: Action): State {
  switch (action.do) {
    case "clear":
      return { list: [], isLoading: action.isLoading };
    case "add": {
      const known = new Set(state.list.map((turn) => turn.turnId));
      const added = action.turns.filter((turn) => !known.has(turn.turnId));
      return { ...state, list: [...state.list, ...added].sort((one, other) => (one.turnId < other.turnId ? -1 : 1)) };
    }
    case "events": {
      const { turnId, events, live } = action;
      return { ...state, list: state.list.map((turn) => (turn.turnId === turnId ? withEvents(turn, events, live) : turn)) };
    }
    case "loaded":
      return { ...state, isLoading: false };
  }
}

/** `onNews` is told of events as they happen: some are to be said at once. */
export function useTurns(sessionId: string | null, onNews: (events: readonly TurnEvent[]) => void): Turns {
  const [state, act] = useReducer(reduce, EMPTY);
  const open = useRef<Open | null>(null);
  const asking = useRef(new Set<string>()); // the sessions to which a message is on its way

  const watch = useCallback(
    (turn: Turn, seen: "happening" | "joined" | "over") => {
      if (open.current?.sessionId !== turn.sessionId || open.current.followed.has(turn.turnId)) return;
      open.current.followed.add(turn.turnId);
      let isNews = seen === "happening"; // what came before somebody looked is none
      const onEvents = (events: TurnEvent[]): void => {
        act({ do: "events", turnId: turn.turnId, events, live: seen !== "over" });
        if (isNews) onNews(events);
        isNews = seen !== "over";
      };
      const { signal } = open.current.stop;
      follow({ sessionId: turn.sessionId, turnId: turn.turnId, after: turn.seq, onEvents, signal }).catch(explain);
    },
    [onNews],
  );

  useEffect(() => {
    act({ do: "clear", isLoading: sessionId !== null });
    if (sessionId === null) return;
    const stop = new AbortController();
    open.current = { sessionId, stop, followed: new Set() };
    const onPage = (turns: Turn[]): void => {
      if (stop.signal.aborted) return;
      act({ do: "add", turns });
      // A turn that was just asked for may be read here before the answer to its message is there.
      const seen = asking.current.has(sessionId) ? "happening" : "joined";
      for (const turn of turns) if (turn.status === "running") watch(turn, seen);
    };
    readTurns(sessionId, stop.signal, onPage)
      .catch((error: unknown) => stop.signal.aborted || explain(error))
      .finally(() => stop.signal.aborted || act({ do: "loaded" }));
    return () => {
      stop.abort();
      open.current = null;
    };
  }, [sessionId, watch]);

  const send = async (to: string, message: string): Promise<void> => {
    asking.current.add(to);
    try {
      const turn = await take(to, message);
      if (open.current?.sessionId !== to) return; // another one is looked at now; it is read when this one is again
      act({ do: "add", turns: [turn] });
      watch(turn, "happening");
    } finally {
      asking.current.delete(to);
    }
  };

  const read = useCallback((turn: Turn) => watch(turn, "over"), [watch]);

  return { ...state, send, read, cancel };
}

interface Open {
  sessionId: string;
  stop: AbortController;
  followed: Set<string>;
}

function cancel({ sessionId: session_id, turnId: turn_id }: Turn): void {
  const path = { session_id, turn_id };
  ask(api.DELETE("/api/sessions/{session_id}/turns/{turn_id}", { params: { path } })).catch(explain);
}

async function readTurns(sessionId: string, signal: AbortSignal, onPage: (turns: Turn[]) => void): Promise<void> {
  const path = { session_id: sessionId };
  let cursor: string | null | undefined;
  do {
    const query = { limit: 100, ...(cursor ? { cursor } : {}) };
    const page = await ask(api.GET("/api/sessions/{session_id}", { params: { path, query }, signal }));
    onPage(page.turns.map((record) => turnOf(record, sessionId)));
    cursor = page.cursor;
  } while (cursor);
}

const NEW = { status: "running", answer: "", error: null } as const;
const TRIES = 5;
const PAUSE_MS = 500;

/** Send a message, once: the same key again returns the turn that it started. */
async function take(sessionId: string, message: string): Promise<Turn> {
  const header = { "idempotency-key": crypto.randomUUID() };
  for (let left = TRIES; ; left -= 1) {
    try {
      const params = { path: { session_id: sessionId }, header };
      const body = { message, files: [] };
      const taken = await ask(api.POST("/api/sessions/{session_id}/turns", { params, body }));
      const created_at = new Date().toISOString();
      return turnOf({ ...NEW, turn_id: taken.turn_id, message, created_at }, sessionId);
    } catch (error) {
      const lost = error instanceof Error && "status" in error && error.status === 0;
      if (!lost || left <= 1) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
