import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { getEventSocket } from "./eventSocket.js";
import { followTurn } from "./followTurn.js";
import { createTransport, type Transport } from "./transport.js";

/** A connection of which the tests decide what happens to it. */
class FakeWebSocket {
  static last: FakeWebSocket;
  static count = 0;
  readonly sent: string[] = [];
  readonly OPEN = 1;
  readyState = 0;
  onopen = (): void => undefined;
  onclose = (): void => undefined;
  onerror = (): void => undefined;

  constructor() {
    FakeWebSocket.last = this;
    FakeWebSocket.count += 1;
  }

  open(): void {
    this.readyState = this.OPEN;
    this.onopen();
  }

  close(): void {
    this.readyState = 2; // closing: the event `close` comes when the other side has answered
  }

  send(message: string): void {
    this.sent.push(message);
  }
}

let transport: Transport;

beforeEach(() => {
  vi.useFakeTimers();
  const page = { events: [], next: 0, done: false };
  const ticket = async (): Promise<Response> => Response.json({ ticket: "t", url: "ws://here.example/ws", ...page });
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

  it("opens one connection for callers that waited for the same failed one", async () => {
    const before = FakeWebSocket.count;
    const failed = getEventSocket(transport).catch(() => "failed");
    await vi.advanceTimersByTimeAsync(0);
    const callers = [getEventSocket(transport), getEventSocket(transport)];
    FakeWebSocket.last.onerror();
    await vi.advanceTimersByTimeAsync(0);
    FakeWebSocket.last.open();
    const [one, other] = await Promise.all(callers);
    expect([await failed, one === other, FakeWebSocket.count - before]).toEqual(["failed", true, 2]);
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

describe("followTurn", () => {
  it("ends without a subscription if it is aborted while the connection opens", async () => {
    const controller = new AbortController();
    const turn = { sessionId: "s1", turnId: "t1", after: 0, onEvents: () => undefined, signal: controller.signal };
    const end = followTurn(transport, turn);
    await vi.advanceTimersByTimeAsync(0);
    controller.abort();
    FakeWebSocket.last.open();
    await end;
    expect(FakeWebSocket.last.sent).toEqual([]);
  });
});
