import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client } from "./client.js";
import { createTransport, type TransportOptions, unwrap } from "./transport.js";

const PROBLEM = { error_code: "E_QUOTA_EXCEEDED", detail: "Delete files first." };
const OK = (): Response => Response.json({ session_id: "s1" });

/** Requests that arrived, and their responses in order; an Error makes the connection fail. */
let requests: Request[] = [];
let responses: (Response | Error)[] = [];

async function send(request: Request): Promise<Response> {
  requests.push(request);
  const response = responses.shift() ?? OK();
  if (response instanceof Error) throw response;
  return response;
}

/** Return a transport that has reached its server. */
async function reached(options: TransportOptions = {}): Promise<ReturnType<typeof createTransport>> {
  const transport = createTransport({ url: "http://here.example", fetch: send, ...options });
  await transport.api.GET("/api/me");
  requests = [];
  return transport;
}

/** Start a session and return the waiting times between its requests, in ms. */
async function startSession(transport: ReturnType<typeof createTransport>): Promise<number[]> {
  const start = Date.now();
  const times: number[] = [];
  const push = requests.push.bind(requests);
  requests.push = (...items) => {
    times.push(Date.now() - start);
    return push(...items);
  };
  const pending = unwrap(transport.api.POST("/api/sessions", { body: { title: "August" } }));
  await Promise.all([pending, vi.runAllTimersAsync()]);
  return times;
}

beforeEach(() => {
  vi.useFakeTimers();
  requests = [];
  responses = [];
});

afterEach(() => {
  vi.useRealTimers();
});

describe("Client", () => {
  it("sends the caller's idempotency keys", async () => {
    const client = new Client({ url: "http://here.example", fetch: send });
    const idempotencyKey = "k1";
    await client.startSession({}, { idempotencyKey });
    await client.importConversation({ turns: [{ message: "Hi" }] }, { idempotencyKey });
    await client.session("s1").ask("Hi", { idempotencyKey });
    await client.files.upload(new Blob(["a"]), { name: "a.txt", idempotencyKey });
    await client.files.share("f1", 60, { idempotencyKey });
    expect(requests.map((request) => request.headers.get("Idempotency-Key"))).toEqual(Array(5).fill("k1"));
  });

  it("reads all pages of a conversation and deletes it", async () => {
    const client = new Client({ url: "http://here.example", fetch: send });
    const page = (message: string, cursor: string | null): Response => Response.json({ turns: [{ message }], cursor });
    responses = [page("one", "next"), page("two", null), new Response(null, { status: 204 })];
    const messages: string[] = [];
    for await (const turn of client.conversation("s1")) messages.push(turn.message);
    await client.deleteConversation("s1");
    expect(messages).toEqual(["one", "two"]);
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET http://here.example/api/conversations/s1",
      "GET http://here.example/api/conversations/s1?cursor=next",
      "DELETE http://here.example/api/conversations/s1",
    ]);
  });
});

describe("createTransport", () => {
  it("sends a personal token to the address for personal tokens", async () => {
    const transport = await reached({ headers: () => ({ Authorization: "Bearer satchel_x" }) });
    await unwrap(transport.api.POST("/api/sessions", { body: { title: "August" } }));
    expect(requests[0]?.url).toBe("http://here.example/api/by-token/api/sessions");
    expect(await requests[0]?.json()).toEqual({ title: "August" });
    expect(requests[0]?.headers.get("Authorization")).toBe("Bearer satchel_x");
  });

  it("repeats a request after a lost connection, with the same body and key", async () => {
    const transport = await reached();
    responses = [new TypeError("cut"), new Response("", { status: 502 })];

    expect(await startSession(transport)).toEqual([0, 500, 1_500]);
    const keys = new Set(requests.map((request) => request.headers.get("Idempotency-Key")));
    expect(keys.size).toBe(1);
    expect([...keys][0]).toMatch(/^[\w-]{36}$/);
    expect(await Promise.all(requests.map((request) => request.json()))).toEqual(Array(3).fill({ title: "August" }));
  });

  it("waits as long as Retry-After says", async () => {
    const transport = await reached();
    responses = [
      Response.json(PROBLEM, { status: 429, headers: { "Retry-After": "7" } }),
      new Response("", { status: 503, headers: { "Retry-After": "3" } }),
    ];

    expect(await startSession(transport)).toEqual([0, 7_000, 10_000]);
  });

  it("does not repeat a request if a quota is used up, or if the server wants a wait above a minute", async () => {
    const transport = await reached();
    for (const headers of [{}, { "Retry-After": "61" }]) {
      responses = [Response.json(PROBLEM, { status: 429, headers })];
      await expect(startSession(transport)).rejects.toMatchObject({ status: 429, code: "E_QUOTA_EXCEEDED" });
    }
    expect(requests).toHaveLength(2);
  });

  it("does not try a server again that never answered", async () => {
    const transport = createTransport({ url: "http://here.example", fetch: send });
    responses = [new TypeError("refused")];

    await expect(startSession(transport)).rejects.toMatchObject({ status: 0, code: "E_NO_CONNECTION" });
    expect(requests).toHaveLength(1);
  });

  it("throws the last error after all retries", async () => {
    const transport = await reached({ retryDelaysMs: [1, 1] });
    responses = Array.from({ length: 3 }, () => new Response("", { status: 504 }));

    await expect(startSession(transport)).rejects.toMatchObject({ status: 504 });
    expect(requests).toHaveLength(3);
  });

  it("asks for the identity of each attempt, and reports a refused one", async () => {
    const onUnauthorized = vi.fn();
    let count = 0;
    const headers = async () => ({ Authorization: `Bearer ${(count += 1)}` });
    const transport = await reached({ headers, onUnauthorized });
    responses = [new TypeError("cut"), Response.json({}, { status: 401 })];

    await expect(startSession(transport)).rejects.toMatchObject({ status: 401 });
    expect(requests.map((request) => request.headers.get("Authorization"))).toEqual(["Bearer 2", "Bearer 3"]);
    expect(onUnauthorized).toHaveBeenCalledOnce();
  });
});
