import { readFileSync } from "node:fs";
import { type BaseEvent, EventType, type ResumeEntry, type UserMessage } from "@ag-ui/client";
import { describe, expect, it, vi } from "vitest";
import { SatchelAgent } from "./agUi.js";
import { Client } from "./client.js";

type Json = Record<string, unknown>;

/** A busy machine may pause for seconds. */
const PATIENT = { timeout: 20_000 };
vi.setConfig({ testTimeout: 60_000 });

interface Fixture {
  approval: Json;
  inputs: Json[];
  link: Json;
  events: Record<string, { event: Json; ag_ui: Json[] }>;
  sequences: Record<string, { events: [string, Json?][]; resume?: ResumeEntry; ag_ui: Json[] }>;
  decisions: { resume: ResumeEntry; body: Json }[];
  attachments: Record<string, string>;
}

/** What the events of a turn become in AG-UI. The bridge is checked with it, too. */
const FIXTURE: Fixture = JSON.parse(
  readFileSync(new URL("../../../tests/unit/bridge/ag_ui_events.json", import.meta.url), "utf8"),
);
const ENDED = FIXTURE.events["response_complete"]?.event ?? {};

const CANCELED = "DELETE /api/sessions/s1/turns/t1";

/** A server with one turn, and what was sent to it. */
class FakeServer {
  readonly paths: string[] = [];
  readonly bodies: Json[] = [];
  readonly files: string[] = [];
  /** Held, because in Node the signal of a request no longer aborts once the request is garbage-collected. */
  private readonly requests: Request[] = [];
  readonly client = new Client({
    url: "http://satchel.test",
    webSocket: null,
    fetch: (request) => this.answer(request),
  });

  /** Null: the turn runs and has no event. */
  constructor(private readonly events: Json[] | null) {}

  private async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.requests.push(request);
    this.paths.push(`${request.method} ${pathname}`);
    if (pathname === "/api/files") {
      const { name } = (await request.formData()).get("file") as File;
      this.files.push(name);
      return Response.json({ file_key: name }, { status: 201 });
    }
    if (request.method === "POST") this.bodies.push((await request.json()) as Json);
    if (pathname.endsWith("/events")) return this.page(request.signal);
    if (pathname.endsWith("/approval")) return Response.json(FIXTURE.approval);
    if (pathname.endsWith("/link")) return Response.json(FIXTURE.link, { status: 201 });
    if (pathname.endsWith("/turns/t1")) return Response.json({ inputs: FIXTURE.inputs });
    return Response.json({ session_id: "s1", turn_id: "t1" });
  }

  private async page(signal: AbortSignal): Promise<Response> {
    if (this.events === null) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw signal.reason;
    }
    const common = { turn_id: "t1", at: "2026-08-27T09:30:00Z" };
    const events = this.events.map((event, index) => ({ seq: index + 1, ...common, ...event }));
    return Response.json({ events, next: 0, done: true });
  }
}

function agentWithMessage(server: FakeServer, content: UserMessage["content"] = "hello"): SatchelAgent {
  const agent = new SatchelAgent({ client: server.client, threadId: "th", sessionId: "s1" });
  agent.addMessage({ id: "m1", role: "user", content });
  return agent;
}

/** Run a turn for a message, or resume it, and return the events that the front end sees after RUN_STARTED. */
async function run(server: FakeServer, content: UserMessage["content"], resume?: ResumeEntry): Promise<BaseEvent[]> {
  const agent = agentWithMessage(server, content);
  const events: BaseEvent[] = [];
  const parameters = { runId: "r", ...(resume && { resume: [resume] }) };
  await agent.runAgent(parameters, { onEvent: ({ event }) => void events.push(event) });
  expect(events.shift()).toEqual({ type: EventType.RUN_STARTED, threadId: "th", runId: "r" });
  return events;
}

describe("SatchelAgent", () => {
  it.each(Object.keys(FIXTURE.events))("sends what the bridge sends for the event %s", async (name) => {
    const row = FIXTURE.events[name];
    expect(await run(new FakeServer([row?.event ?? {}]), "hello")).toEqual(row?.ag_ui);
  });

  it.each(Object.entries(FIXTURE.sequences))("sends what the bridge sends for: %s", async (_, sequence) => {
    const events = sequence.events.map(([name, changes]) => ({ ...FIXTURE.events[name]?.event, ...changes }));
    expect(await run(new FakeServer(events), "hello", sequence.resume)).toEqual(sequence.ag_ui);
  });

  it.each(FIXTURE.decisions)("passes on the decision $resume as $body", async ({ resume, body }) => {
    const server = new FakeServer([ENDED]);
    await run(server, "hello", resume);
    expect(server.bodies).toEqual([body]);
  });

  it("uploads the files of a message with the ending of their type", async () => {
    const server = new FakeServer([ENDED]);
    const source = (mimeType: string) => ({ type: "data" as const, value: "aGVsbG8=", mimeType });
    const types = Object.keys(FIXTURE.attachments);
    await run(server, types.map((mimeType) => ({ type: "document", source: source(mimeType) })));

    const names = Object.values(FIXTURE.attachments);
    expect(server.files).toEqual(names);
    expect(server.bodies).toEqual([{ message: "", files: names }]);
  });

  it("starts one session for a thread, which its clones know", async () => {
    const server = new FakeServer([ENDED]);
    const agent = new SatchelAgent({ client: server.client, threadId: "th" });
    for (const id of ["m1", "m2"]) {
      agent.addMessage({ id, role: "user", content: "hello" });
      await agent.runAgent();
    }
    expect(agent.clone().sessionId).toBe("s1");
    expect(server.paths.filter((path) => path === "POST /api/sessions")).toHaveLength(1);
  });

  it.each([
    ["cancels the turn if the run is aborted", (agent: SatchelAgent) => agent.abortRun(), true],
    ["lets the turn continue if the front end detaches", (agent: SatchelAgent) => agent.detachActiveRun(), false],
  ])("%s", async (_, stop, isCanceled) => {
    const server = new FakeServer(null);
    const agent = agentWithMessage(server);
    const codes: unknown[] = [];
    const running = agent.runAgent({}, { onRunErrorEvent: ({ event }) => void codes.push(event.code) });
    await vi.waitFor(() => expect(server.paths.at(-1)).toMatch(/events$/), PATIENT);
    await stop(agent);
    await running.catch(() => undefined); // detaching has no last event

    expect(codes).toEqual(isCanceled ? ["abort"] : []);
    // The request for the cancellation follows, on a busy machine after more than a tenth of a second.
    if (isCanceled) await vi.waitFor(() => expect(server.paths).toContain(CANCELED), PATIENT);
    else await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.paths.includes(CANCELED)).toBe(isCanceled);
  });

  it("cancels the turn if its events are no longer wanted", async () => {
    const server = new FakeServer(null);
    const agent = agentWithMessage(server);
    const input = { threadId: "th", runId: "r", messages: agent.messages, tools: [], context: [] };
    const running = agent.run(input).subscribe();
    await vi.waitFor(() => expect(server.paths.at(-1)).toMatch(/events$/), PATIENT);
    running.unsubscribe();

    await vi.waitFor(() => expect(server.paths.at(-1)).toBe(CANCELED), PATIENT);
  });
});
