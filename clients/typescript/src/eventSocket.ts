/** One WebSocket for the events of all turns that a client follows (docs/events.md). */
import { type Transport, unwrap } from "./transport.js";
import type { TurnEvent } from "./types.js";

/** A page of pushed events. An event above the size limit of a message comes without its content. */
export interface PushedEvents {
  events: (TurnEvent | { seq: number; truncated: true })[];
  done: boolean;
}

export interface Subscriber {
  onEvents(page: PushedEvents): void;
  /** The connection closed, or the server refused this subscription; the subscriber falls back to polling. */
  onEnd(refused: boolean): void;
}

interface SocketMessage {
  type: string;
  turn_id?: string;
  events?: PushedEvents["events"];
  done?: boolean;
}

const PING_INTERVAL_MS = 20_000;
const SILENCE_TIMEOUT_MS = 45_000; // two unanswered pings: the connection is dead even if the browser calls it open

export class EventSocket {
  private readonly subscribers = new Map<string, Subscriber>();
  private readonly pingTimer: ReturnType<typeof setInterval>;
  private lastMessageAt = Date.now();
  private hasEnded = false;

  private constructor(
    private readonly socket: WebSocket,
    private readonly onEnd: () => void,
  ) {
    socket.onmessage = (message) => this.receive(JSON.parse(String(message.data)) as SocketMessage);
    socket.onclose = () => this.end();
    socket.onerror = () => this.end(); // Node 22 sends no `close` if the connection is lost while it is opened
    this.pingTimer = setInterval(() => this.ping(), PING_INTERVAL_MS);
    globalThis.addEventListener?.("offline", this.close);
  }

  /** Get a ticket and connect. Throws if either step fails. */
  static async open({ api, sendOnce, webSocket }: Transport): Promise<EventSocket> {
    if (webSocket === null) throw new Error("there is no WebSocket");
    const { ticket, url } = await unwrap(api.POST("/api/ws-ticket", { fetch: sendOnce }));
    const socket = new webSocket(`${url}?ticket=${encodeURIComponent(ticket)}`);
    return new Promise<EventSocket>((resolve, reject) => {
      const eventSocket = new EventSocket(socket, () => reject(new Error("the connection was refused")));
      socket.onopen = () => resolve(eventSocket);
    });
  }

  get isOpen(): boolean {
    return !this.hasEnded && this.socket.readyState === this.socket.OPEN;
  }

  /** Subscribe to the events of a turn after a cursor. Return a function that unsubscribes. */
  subscribe(sessionId: string, turnId: string, after: number, subscriber: Subscriber): () => void {
    if (this.hasEnded) {
      subscriber.onEnd(false);
      return () => undefined;
    }
    this.subscribers.set(turnId, subscriber);
    this.send({ action: "subscribe", session_id: sessionId, turn_id: turnId, after });
    return () => {
      if (this.subscribers.get(turnId) !== subscriber) return;
      this.subscribers.delete(turnId);
      this.send({ action: "unsubscribe", turn_id: turnId });
    };
  }

  readonly close = (): void => this.socket.close();

  private receive(message: SocketMessage): void {
    this.lastMessageAt = Date.now();
    const subscriber = this.subscribers.get(message.turn_id ?? "");
    if (message.type === "events") subscriber?.onEvents({ events: message.events ?? [], done: message.done ?? false });
    if (message.type === "error" && subscriber) {
      this.subscribers.delete(message.turn_id ?? "");
      subscriber.onEnd(true);
    }
  }

  private ping(): void {
    if (this.isOpen && Date.now() - this.lastMessageAt <= SILENCE_TIMEOUT_MS) return this.send({ action: "ping" });
    this.close();
    this.end(); // `close` comes only after the other side has answered, or after minutes
  }

  private send(message: object): void {
    if (this.isOpen) this.socket.send(JSON.stringify(message));
  }

  private end(): void {
    this.hasEnded = true;
    this.onEnd();
    clearInterval(this.pingTimer);
    globalThis.removeEventListener?.("offline", this.close);
    const subscribers = [...this.subscribers.values()];
    this.subscribers.clear();
    for (const subscriber of subscribers) subscriber.onEnd(false);
  }
}

const current = new WeakMap<Transport, Promise<EventSocket>>();

/** Return the connection of a transport; open one if there is none. Throws if that fails. */
export async function getEventSocket(transport: Transport): Promise<EventSocket> {
  const known = current.get(transport);
  const existing = await known?.catch(() => null);
  if (existing?.isOpen) return existing;
  if (current.get(transport) !== known) return getEventSocket(transport); // another caller opens one meanwhile
  const opening = EventSocket.open(transport);
  current.set(transport, opening);
  return opening;
}

/** Close the connection of a transport, if there is one. */
export async function closeEventSocket(transport: Transport): Promise<void> {
  const existing = await current.get(transport)?.catch(() => null);
  current.delete(transport);
  existing?.close();
}
