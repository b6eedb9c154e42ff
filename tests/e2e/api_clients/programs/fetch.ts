/**
 * Takes every step with the types of openapi-typescript and openapi-fetch, without casts, and prints what it saw as JSON.
 * Compiled and run by the tests. Argument: JSON {url, token}.
 */
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

type Event = components["schemas"]["EventPage"]["events"][number];

declare const process: { argv: string[] };

interface Identity {
  url: string;
  token: string;
}

const FILES = 200;

function connect({ url, token }: Identity) {
  return createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });
}

type Api = ReturnType<typeof connect>;

/** Return the data of a response, or throw what the API said. */
function required<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

function toForm(body: { file: Blob; session_id?: string }): FormData {
  const form = new FormData();
  form.append("file", body.file, "note.txt");
  if (body.session_id) form.append("session_id", body.session_id);
  return form;
}

/** Start a turn and follow it to its end; approve each call that waits. */
async function ask(api: Api, session_id: string, message: string): Promise<Event[]> {
  const start = { params: { path: { session_id } }, body: { message } };
  const { turn_id } = required(await api.POST("/api/sessions/{session_id}/turns", start));
  const path = { session_id, turn_id };
  const events: Event[] = [];
  for (let isDone = false; !isDone; ) {
    const query = { after: events.at(-1)?.seq ?? 0, wait: 20 };
    const page = required(
      await api.GET("/api/sessions/{session_id}/turns/{turn_id}/events", { params: { path, query } }),
    );
    for (const event of page.events) if (event.type === "tool_approval_request") await approve(api, path, event.call_id);
    events.push(...page.events);
    isDone = page.done;
  }
  return events;
}

async function approve(api: Api, turn: { session_id: string; turn_id: string }, call_id: string): Promise<void> {
  const params = { path: { ...turn, call_id } };
  const route = "/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/approval";
  const { digest } = required(await api.GET(route, { params }));
  required(await api.POST(route, { params, body: { approved: true, digest } }));
}

function answerOf(events: Event[]): string {
  const last = events.at(-1);
  return last?.type === "response_complete" ? (last.response?.answer ?? "") : (last?.type ?? "");
}

async function download(api: Api, file_key: string): Promise<string> {
  const record = required(await api.GET("/api/files/{file_key}", { params: { path: { file_key } } }));
  const token = new URL(record.download_url ?? "", "http://here").searchParams.get("token") ?? "";
  const params = { path: { file_key }, query: { token } };
  return required(await api.GET("/api/files/download/{file_key}", { params, parseAs: "text" }));
}

async function countFiles(api: Api): Promise<number> {
  const keys = new Set<string>();
  for (let cursor: string | null | undefined; ; ) {
    const params = { query: { limit: 50, ...(cursor ? { cursor } : {}) } };
    const page = required(await api.GET("/api/files", { params }));
    for (const file of page.files) keys.add(file.file_key);
    cursor = page.cursor;
    if (!cursor) return keys.size;
  }
}

async function importAndDelete(api: Api): Promise<string[]> {
  const turns = [{ message: "What is 6 * 7?", answer: "42" }];
  const { session_id } = required(await api.POST("/api/conversations", { body: { title: "Old", turns } }));
  const params = { path: { session_id } };
  const read = required(await api.GET("/api/conversations/{session_id}", { params }));
  const { response } = await api.DELETE("/api/conversations/{session_id}", { params });
  const missing = await api.GET("/api/conversations/{session_id}", { params });
  return [...read.turns.map((turn) => turn.answer), `${response.status}`, `${missing.response.status}`];
}

export async function main(identity: Identity): Promise<object> {
  const api = connect(identity);
  const { session_id } = required(await api.POST("/api/sessions", { body: { title: "August" } }));
  const body = { file: new Blob(["from a form"]), session_id };
  const form = required(await api.POST("/api/files", { body, bodySerializer: toForm }));
  const content = { name: "json.txt", b64: "ZnJvbSBKU09O" };
  const json = required(await api.POST("/api/files/content", { body: content }));
  const calculated = await ask(api, session_id, '/calculator.evaluate {"expression": "6 * 7"}');
  const approved = await ask(api, session_id, '/approval.write {"name": "written.txt", "text": "hello"}');
  const path = { file_key: form.file_key };
  const link = required(await api.POST("/api/files/{file_key}/link", { params: { path }, body: { ttl_seconds: 60 } }));
  for (let number = (await countFiles(api)) + 1; number <= FILES; number += 1)
    required(await api.POST("/api/files/content", { body: { name: `${number}.txt`, b64: "YQ==" } }));
  const files = await countFiles(api);
  const texts = [await download(api, form.file_key), await download(api, json.file_key)];
  const { response: deleted } = await api.DELETE("/api/files/{file_key}", { params: { path } });
  return {
    texts,
    calculated: answerOf(calculated),
    approved: approved.map((event) => event.type),
    link: link.url,
    files,
    deleted: deleted.status,
    conversation: await importAndDelete(api),
  };
}

const [, , argument] = process.argv;
if (argument) console.log(JSON.stringify(await main(JSON.parse(argument))));
