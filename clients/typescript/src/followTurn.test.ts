import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { followTurn } from "./followTurn.js";
import { createTransport } from "./transport.js";
import type { TurnEvent } from "./types.js";

const TURN = { sessionId: "s1", turnId: "t1", after: 0 };
const event = (seq: number) => ({ seq, turn_id: "t1", type: "token_stream", at: "", text: `${seq}` }) as TurnEvent;
const page = (events: TurnEvent[], done = false) => Response.json({ events, next: 0, done });

const WebSocketThatIsNotOpened = class {} as unknown as typeof WebSocket;

/** Responses to GET …/events, in order; an Error makes the connection fail. */
let responses: (Response | Error)[] = [];
let queries: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  queries = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.url.endsWith("/api/ws-ticket")) return new Response("{}", { status: 503 });
    queries.push(request.url.split("?")[1] ?? "");
    const response = responses.shift() ?? page([], true);
    if (response instanceof Error) throw response;
    return response;
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Follow the turn to its end and return the sequence numbers of its events. */
async function followToEnd(onConnection = (_isConnected: boolean): void => undefined): Promise<number[]> {
  const received: number[] = [];
  const onEvents = (events: TurnEvent[]) => received.push(...events.map(({ seq }) => seq));
  const transport = createTransport({ url: "http://here.example", webSocket: WebSocketThatIsNotOpened });
  const end = followTurn(transport, { ...TURN, onEvents, signal: new AbortController().signal, onConnection });
  await Promise.all([end, vi.runAllTimersAsync()]);
  return received;
}

describe("followTurn", () => {
  it("polls from the cursor if no WebSocket can be opened", async () => {
    responses = [page([event(1), event(2)]), page([]), page([event(3)]), page([event(4)], true)];

    expect(await followToEnd()).toEqual([1, 2, 3, 4]);
    expect(queries).toEqual(["after=0&wait=0", "after=2&wait=0", "after=2&wait=20", "after=3&wait=20"]);
  });

  it("passes on an event once if it arrives twice", async () => {
    responses = [page([event(1), event(2)]), page([event(2), event(3)], true)];

    expect(await followToEnd()).toEqual([1, 2, 3]);
  });

  it("retries a failed request from the same cursor", async () => {
    responses = [page([event(1)]), new TypeError("cut"), Response.json({}, { status: 503 }), page([event(2)], true)];

    expect(await followToEnd()).toEqual([1, 2]);
  });

  it("reports that it is connected again before it waits for further events", async () => {
    const states: string[] = [];
    const wait = (query: string | undefined) => query?.split("wait=")[1];
    responses = [page([]), new TypeError("cut"), page([event(1)]), page([]), page([event(2)], true)];

    await followToEnd((isConnected) => states.push(`${isConnected} after wait=${wait(queries.at(-1))}`));
    expect(states).toEqual(["true after wait=0", "false after wait=20", "true after wait=0", "true after wait=20"]);
  });

  it("throws at once if the turn does not exist", async () => {
    responses = [Response.json({ error_code: "E_TURN_NOT_FOUND", detail: "There is no such turn." }, { status: 404 })];

    await expect(followToEnd()).rejects.toMatchObject({ status: 404, code: "E_TURN_NOT_FOUND" });
  });
});
