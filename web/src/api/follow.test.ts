import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { follow } from "./follow";
import type { TurnEvent } from "./types";

vi.hoisted(() => vi.stubGlobal("location", new URL("http://here.example/")));

const TURN = { sessionId: "s1", turnId: "t1", after: 0 };
const event = (seq: number) => ({ seq, turn_id: "t1", type: "token_stream", at: "", text: `${seq}` }) as TurnEvent;
const page = (events: TurnEvent[], done = false) => Response.json({ events, next: 0, done });

/** What the server answers to GET …/events, one after the other; an Error: the connection fails. */
let answers: (Response | Error)[] = [];
let asked: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.url.endsWith("/api/ws-ticket")) return new Response("{}", { status: 503 });
    asked.push(request.url.split("?")[1] ?? "");
    const answer = answers.shift() ?? page([], true);
    if (answer instanceof Error) throw answer;
    return answer;
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function followed(): Promise<number[]> {
  const seen: number[] = [];
  const onEvents = (events: TurnEvent[]) => seen.push(...events.map(({ seq }) => seq));
  const end = follow({ ...TURN, onEvents, signal: new AbortController().signal });
  await Promise.all([end, vi.runAllTimersAsync()]);
  return seen;
}

test("where no connection can be opened, events are asked for, from the cursor on", async () => {
  answers = [page([event(1), event(2)]), page([]), page([event(3)]), page([event(4)], true)];

  expect(await followed()).toEqual([1, 2, 3, 4]);
  expect(asked).toEqual(["after=0&wait=0", "after=2&wait=0", "after=2&wait=20", "after=3&wait=20"]);
});

test("what comes twice is taken once", async () => {
  answers = [page([event(1), event(2)]), page([event(2), event(3)], true)];

  expect(await followed()).toEqual([1, 2, 3]);
});

test("a request that fails is made again from the same place", async () => {
  answers = [page([event(1)]), new TypeError("cut"), Response.json({}, { status: 503 }), page([event(2)], true)];

  expect(await followed()).toEqual([1, 2]);
});

test("a turn that is not there is an error at once", async () => {
  answers = [Response.json({ error_code: "E_TURN_NOT_FOUND", detail: "There is no such turn." }, { status: 404 })];

  await expect(followed()).rejects.toMatchObject({ status: 404, code: "E_TURN_NOT_FOUND" });
});
