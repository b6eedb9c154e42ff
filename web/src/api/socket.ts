/** One connection for the events of all turns that are looked at (docs/events.md). */
import { api, ask } from "./client";
import type { TurnEvent } from "./types";

/** A page of events as it is pushed; an event that is too large for it comes without what it says. */
export interface Pushed {
  events: (TurnEvent | { seq: number; truncated: true })[];
  done: boolean;
}

export interface Subscriber {
  onEvents(page: Pushed): void;
  /** The connection ended, or this subscription was refused; what follows is asked for otherwise. */
  onEnd(refused: boolean): void;
}

interface Said {
  type: string;
  turn_id?: string;
  events?: Pushed["events"];
  done?: boolean;
}

const PING_MS = 20_000;
const SILENCE_MS = 45_000; // two pings without an answer: the other side is gone, whatever the socket says

export class EventSocket {
  private readonly subscribers = new Map<string, Subscriber>();
  private readonly pinging: ReturnType<typeof setInterval>;
  private heard = Date.now();

  private constructor(private readonly socket: WebSocket) {
    socket.onmessage = (message) => this.receive(JSON.parse(String(message.data)) as Said);
    socket.onclose = () => this.end();
    this.pinging = setInterval(() => this.ping(), PING_MS);
    globalThis.addEventListener?.("offline", this.close);
  }

  /** Get a ticket and connect. Throws where either fails. */
  static async open(): Promise<EventSocket> {
    const { ticket, url } = await ask(api.POST("/api/ws-ticket"));
    const socket = new WebSocket(`${url}?ticket=${encodeURIComponent(ticket)}`);
    const made = new EventSocket(socket); // at once: the connection may be lost while it is being made
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("open", () => resolve());
      socket.addEventListener("close", () => reject(new Error("the connection was refused")));
    });
    return made;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Have the events of a turn after a cursor pushed. Returns what ends that. */
  subscribe(sessionId: string, turnId: string, after: number, subscriber: Subscriber): () => void {
    this.subscribers.set(turnId, subscriber);
    this.send({ action: "subscribe", session_id: sessionId, turn_id: turnId, after });
    return () => {
      if (this.subscribers.get(turnId) !== subscriber) return;
      this.subscribers.delete(turnId);
      this.send({ action: "unsubscribe", turn_id: turnId });
    };
  }

  readonly close = (): void => this.socket.close();

  private receive(said: Said): void {
    this.heard = Date.now();
    const subscriber = this.subscribers.get(said.turn_id ?? "");
    if (said.type === "events") subscriber?.onEvents({ events: said.events ?? [], done: said.done ?? false });
    if (said.type === "error" && subscriber) {
      this.subscribers.delete(said.turn_id ?? "");
      subscriber.onEnd(true);
    }
  }

  private ping(): void {
    if (Date.now() - this.heard > SILENCE_MS) this.close();
    else this.send({ action: "ping" });
  }

  private send(message: object): void {
    if (this.isOpen) this.socket.send(JSON.stringify(message));
  }

  private end(): void {
    clearInterval(this.pinging);
    globalThis.removeEventListener?.("offline", this.close);
    const left = [...this.subscribers.values()];
    this.subscribers.clear();
    for (const subscriber of left) subscriber.onEnd(false);
  }
}

let current: Promise<EventSocket> | null = null;

/** Return the page's connection, opened where there is none. Throws where it cannot be. */
export async function eventSocket(): Promise<EventSocket> {
  const found = current && (await current.catch(() => null));
  if (found?.isOpen) return found;
  current = EventSocket.open();
  return current;
}
