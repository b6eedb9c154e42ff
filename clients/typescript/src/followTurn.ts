/**
 * Events of a turn, each once and in order, until the turn ends: pushed over a WebSocket, or polled if that fails.
 * After a lost connection, the cursor fetches the events that were missed.
 */
import { ApiError } from "./errors.js";
import { getEventSocket, type PushedEvents } from "./eventSocket.js";
import { sleep } from "./sleep.js";
import { isPermanent, TOO_MANY_REQUESTS, type Transport, unwrap } from "./transport.js";
import type { TurnEvent } from "./types.js";

export interface FollowOptions {
  sessionId: string;
  turnId: string;
  /** Sequence number of the last known event. */
  after: number;
  onEvents(events: TurnEvent[]): void;
  signal: AbortSignal;
  /** Called after each request: false if it got no response. */
  onConnection?(isConnected: boolean): void;
}

const LONG_POLL_SECONDS = 20;
const MIN_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 2_000;
const MAX_SOCKET_FAILURES = 3; // after so many in a row, poll, and try the WebSocket only now and then
const POLLS_PER_SOCKET_RETRY = 10;

/**
 * Follow a turn until it ends. While the server cannot be reached, retry without a limit; the signal ends that.
 * Throws ApiError if the server refuses.
 */
export async function followTurn(transport: Transport, options: FollowOptions): Promise<void> {
  const { signal } = options;
  const cursor = new EventCursor(transport, options);
  let socketFailures = transport.webSocket === null ? Number.POSITIVE_INFINITY : 0;
  while (!cursor.done && !signal.aborted) {
    // Poll first: past events arrive at once, and the connection state is known.
    await pollUntilConnected(cursor, socketFailures > 0 ? LONG_POLL_SECONDS : 0, options);
    if (cursor.done || signal.aborted) return;
    if (socketFailures < MAX_SOCKET_FAILURES || socketFailures % POLLS_PER_SOCKET_RETRY === 0) {
      socketFailures = await cursor.listen().then(
        () => 0,
        () => socketFailures + 1,
      );
      if (!cursor.done) await sleep(MIN_BACKOFF_MS, signal);
    } else {
      socketFailures += 1;
    }
  }
}

/** Poll until that succeeds, with backoff, and report the connection state. A retry does not wait for events. */
async function pollUntilConnected(cursor: EventCursor, waitSeconds: number, options: FollowOptions): Promise<void> {
  const { signal, onConnection } = options;
  let wait = waitSeconds;
  for (let backoff = MIN_BACKOFF_MS; !signal.aborted; backoff = Math.min(backoff * 2, MAX_BACKOFF_MS)) {
    try {
      await cursor.poll(wait);
      onConnection?.(true);
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError) || isPermanent(error)) throw error;
      onConnection?.(error.status === TOO_MANY_REQUESTS);
      wait = 0; // the state is known when all past events have arrived, not when no event has come for a while
      await sleep(backoff, signal);
    }
  }
}

class EventCursor {
  done = false;
  /** Sequence number of the last event passed on. */
  private last: number;

  constructor(
    private readonly transport: Transport,
    private readonly options: FollowOptions,
  ) {
    this.last = options.after;
  }

  /** Fetch all events after the cursor, page by page; wait up to `waitSeconds` for the first. Throws ApiError. */
  async poll(waitSeconds: number): Promise<void> {
    const { sessionId, turnId, signal } = this.options;
    const { api, sendOnce } = this.transport;
    const path = { session_id: sessionId, turn_id: turnId };
    for (let hasMore = true; hasMore && !this.done; ) {
      const query = { after: this.last, wait: waitSeconds };
      const page = await unwrap(
        api.GET("/api/sessions/{session_id}/turns/{turn_id}/events", {
          params: { path, query },
          signal,
          fetch: sendOnce,
        }),
      );
      hasMore = page.events.length > 0;
      this.emit(page.events);
      this.done = page.done;
    }
  }

  /** Pass on pushed events until the connection or the turn ends. Throws if no connection can be opened. */
  async listen(): Promise<void> {
    const { sessionId, turnId, signal } = this.options;
    const socket = await getEventSocket(this.transport);
    if (signal.aborted) return; // meanwhile: the event `abort` is over, and the listener below would wait for it
    let unsubscribe = (): void => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const onEvents = (page: PushedEvents): void => {
          if (!this.accept(page)) resolve(); // events are missing: poll for them
          else if (this.done) resolve();
        };
        signal.addEventListener("abort", () => resolve(), { once: true });
        const onEnd = (refused: boolean): void => (refused ? reject(new Error("refused")) : resolve());
        unsubscribe = socket.subscribe(sessionId, turnId, this.last, { onEvents, onEnd });
      });
    } finally {
      unsubscribe();
    }
  }

  /** Pass on the events of a page up to the first truncated or missing one. Return false if there is one. */
  private accept(page: PushedEvents): boolean {
    const missing = page.events.findIndex((event, index) => "truncated" in event || this.isGap(page.events, index));
    const complete = missing < 0 ? page.events : page.events.slice(0, missing);
    this.emit(complete as TurnEvent[]);
    if (missing < 0) this.done = page.done;
    return missing < 0;
  }

  private isGap(events: PushedEvents["events"], index: number): boolean {
    const previous = index === 0 ? this.last : (events[index - 1]?.seq ?? 0);
    return (events[index]?.seq ?? 0) > previous + 1;
  }

  private emit(events: readonly TurnEvent[]): void {
    const fresh = events.filter((event) => event.seq > this.last);
    this.last = fresh.at(-1)?.seq ?? this.last;
    if (fresh.length > 0) this.options.onEvents(fresh);
  }
}
