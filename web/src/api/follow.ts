/**
 * The events of a turn, each once and in order, until its end: pushed over a WebSocket, asked for where that fails.
 * What is lost with a connection is caught up by the cursor.
 */
import { ApiError, api, ask } from "./client";
import { setConnected } from "./connection";
import { eventSocket, type Pushed } from "./socket";
import type { TurnEvent } from "./types";

export interface Followed {
  sessionId: string;
  turnId: string;
  /** The last event that is known. */
  after: number;
  onEvents(events: TurnEvent[]): void;
  signal: AbortSignal;
}

const WAIT_SECONDS = 20;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;
const PATIENCE = 3; // connections in a row that failed, until they are tried only now and then
const NOW_AND_THEN = 10;

/** Follow a turn to its end. Throws ApiError where the server says that it cannot be followed. */
export async function follow(turn: Followed): Promise<void> {
  const cursor = new Cursor(turn);
  let refused = 0;
  while (!cursor.done && !turn.signal.aborted) {
    // Asked for first: what has happened comes at once, and whether there is a server, too.
    await persist(() => cursor.ask(refused > 0 ? WAIT_SECONDS : 0), turn.signal);
    if (cursor.done || turn.signal.aborted) return;
    if (refused < PATIENCE || refused % NOW_AND_THEN === 0) {
      refused = await cursor.listen().then(
        () => 0,
        () => refused + 1,
      );
      if (!cursor.done) await pause(FIRST_PAUSE_MS, turn.signal);
    } else {
      refused += 1;
    }
  }
}

/** Try again until there is an answer; whether there is a connection is known by that. */
async function persist(request: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      await request();
      setConnected(true);
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && isFinal(error)) throw error;
      setConnected(false);
      await pause(wait, signal);
    }
  }
}

class Cursor {
  done = false;
  private next: number;

  constructor(private readonly turn: Followed) {
    this.next = turn.after;
  }

  /** Ask for what comes after the cursor, page by page, waiting for the first. Throws ApiError. */
  async ask(wait: number): Promise<void> {
    const { sessionId, turnId, signal } = this.turn;
    const path = { session_id: sessionId, turn_id: turnId };
    for (let full = true; full && !this.done; ) {
      const query = { after: this.next, wait };
      const page = await ask(
        api.GET("/api/sessions/{session_id}/turns/{turn_id}/events", { params: { path, query }, signal }),
      );
      full = page.events.length > 0;
      this.take(page.events);
      this.done = page.done;
    }
  }

  /** Take what is pushed, until the connection or the turn ends. Throws where no connection can be had. */
  async listen(): Promise<void> {
    const { sessionId, turnId, signal } = this.turn;
    const socket = await eventSocket();
    let stop = (): void => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const onEvents = (page: Pushed): void => {
          if (!this.fits(page)) resolve(); // a gap, or an event that must be asked for
          else if (this.done) resolve();
        };
        signal.addEventListener("abort", () => resolve(), { once: true });
        const onEnd = (refused: boolean): void => (refused ? reject(new Error("refused")) : resolve());
        const subscriber = { onEvents, onEnd };
        stop = socket.subscribe(sessionId, turnId, this.next, subscriber);
      });
    } finally {
      stop();
    }
  }

  /** Take a page; false where something is missing in it. */
  private fits(page: Pushed): boolean {
    const missing = page.events.findIndex((event, index) => "truncated" in event || this.isGap(page.events, index));
    const whole = missing < 0 ? page.events : page.events.slice(0, missing);
    this.take(whole as TurnEvent[]);
    if (missing < 0) this.done = page.done;
    return missing < 0;
  }

  private isGap(events: Pushed["events"], index: number): boolean {
    const before = index === 0 ? this.next : (events[index - 1]?.seq ?? 0);
    return (events[index]?.seq ?? 0) > before + 1;
  }

  private take(events: readonly TurnEvent[]): void {
    const fresh = events.filter((event) => event.seq > this.next);
    this.next = fresh.at(-1)?.seq ?? this.next;
    if (fresh.length > 0) this.turn.onEvents(fresh);
  }
}

/** An answer that another try would not change. */
function isFinal(error: ApiError): boolean {
  return error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    globalThis.addEventListener?.("online", end, { once: true });
    signal.addEventListener("abort", end, { once: true });
  });
}
