import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { getEventSocket } from "./eventSocket.js";
import { createTransport, type Transport } from "./transport.js";

/** A connection of which the tests decide what happens to it. */
class FakeWebSocket {
  static last: FakeWebSocket;
  readonly OPEN = 1;
  readyState = 0;
  onopen = (): void => undefined;
  onclose = (): void => undefined;
  onerror = (): void => undefined;

  constructor() {
    FakeWebSocket.last = this;
  }

  open(): void {
    this.readyState = this.OPEN;
    this.onopen();
  }

  close(): void {
    this.readyState = 2; // closing: the event `close` comes when the other side has answered
  }

  send(): void {}
}

let transport: Transport;

beforeEach(() => {
  vi.useFakeTimers();
  const ticket = async (): Promise<Response> => Response.json({ ticket: "t", url: "ws://here.example/ws" });
  const webSocket = FakeWebSocket as unknown as typeof WebSocket;
  transport = createTransport({ url: "http://here.example", fetch: ticket, webSocket });
});

afterEach(() => vi.useRealTimers());

/** Start to connect, let `happen` decide what becomes of the connection, and return it. */
async function connect(happen: (socket: FakeWebSocket) => void) {
  const opening = getEventSocket(transport);
  opening.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  happen(FakeWebSocket.last);
  await vi.advanceTimersByTimeAsync(20_000);
  return opening;
}

describe("getEventSocket", () => {
  it("throws if the connection is lost while it is opened, even without the event close", async () => {
    await expect(connect((socket) => socket.onerror())).rejects.toThrow("refused");
  });

  it("throws if nothing answers for 20 seconds", async () => {
    await expect(connect(() => undefined)).rejects.toThrow("refused");
  });

  it("opens a new connection after one that ended", async () => {
    const first = await connect((socket) => socket.open());
    FakeWebSocket.last.onclose();

    expect(await connect((socket) => socket.open())).not.toBe(first);
  });
});

describe("EventSocket", () => {
  it("tells a subscriber that the connection has ended before it subscribed", async () => {
    const socket = await connect((each) => each.open());
    FakeWebSocket.last.onclose();
    const onEnd = vi.fn();
    socket.subscribe("s1", "t1", 0, { onEvents: vi.fn(), onEnd });

    expect(onEnd.mock.calls).toEqual([[false]]);
  });

  it("tells its subscribers once that the other side is silent, even without the event close", async () => {
    const socket = await connect((each) => each.open());
    const onEnd = vi.fn();
    socket.subscribe("s1", "t1", 0, { onEvents: vi.fn(), onEnd });
    await vi.advanceTimersByTimeAsync(60_000);
    FakeWebSocket.last.onclose();

    expect(onEnd.mock.calls).toEqual([[false]]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
