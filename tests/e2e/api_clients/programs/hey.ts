/**
 * Takes every step with the client of @hey-api/openapi-ts, without casts, and prints what it saw as JSON.
 * Compiled and run by the tests. Argument: JSON {url, token}.
 */
import { client } from "./hey/client.gen.js";
import {
  decideApproval,
  deleteConversation,
  deleteFile,
  download,
  importConversation,
  listFiles,
  readApproval,
  readConversation,
  readEvents,
  readFile,
  shareFile,
  startSession,
  takeTurn,
  uploadContent,
  uploadFile,
} from "./hey/index.js";
import type { EventPage } from "./hey/index.js";

type Event = EventPage["events"][number];

declare const process: { argv: string[] };

const FILES = 200;
const throwOnError = true;

/** Start a turn and follow it to its end; approve each call that waits. */
async function ask(session_id: string, message: string): Promise<Event[]> {
  const { data: turn } = await takeTurn({ path: { session_id }, body: { message }, throwOnError });
  const path = { session_id, turn_id: turn.turn_id };
  const events: Event[] = [];
  for (let isDone = false; !isDone; ) {
    const query = { after: events.at(-1)?.seq ?? 0, wait: 20 };
    const { data: page } = await readEvents({ path, query, throwOnError });
    for (const event of page.events) {
      if (event.type !== "tool_approval_request") continue;
      const call = { ...path, call_id: event.call_id };
      const { data: request } = await readApproval({ path: call, throwOnError });
      await decideApproval({ path: call, body: { approved: true, digest: request.digest }, throwOnError });
    }
    events.push(...page.events);
    isDone = page.done;
  }
  return events;
}

function answerOf(events: Event[]): string {
  const last = events.at(-1);
  return last?.type === "response_complete" ? (last.response?.answer ?? "") : (last?.type ?? "");
}

async function fetchText(file_key: string): Promise<string> {
  const { data: file } = await readFile({ path: { file_key }, throwOnError });
  const token = new URL(file.download_url ?? "", "http://here").searchParams.get("token") ?? "";
  const { data } = await download({ path: { file_key }, query: { token }, parseAs: "text", throwOnError });
  return `${data}`;
}

async function countFiles(): Promise<number> {
  const keys = new Set<string>();
  for (let cursor: string | null | undefined; ; ) {
    const { data: page } = await listFiles({ query: { limit: 50, ...(cursor ? { cursor } : {}) }, throwOnError });
    for (const file of page.files) keys.add(file.file_key);
    cursor = page.cursor;
    if (!cursor) return keys.size;
  }
}

async function importAndDelete(): Promise<string[]> {
  const body = { title: "Old", turns: [{ message: "What is 6 * 7?", answer: "42" }] };
  const { data: session } = await importConversation({ body, throwOnError });
  const path = { session_id: session.session_id };
  const { data: read } = await readConversation({ path, throwOnError });
  const { response } = await deleteConversation({ path, throwOnError });
  const missing = await readConversation({ path });
  return [...read.turns.map((turn) => turn.answer ?? ""), `${response.status}`, `${missing.response?.status}`];
}

async function main({ url, token }: { url: string; token: string }): Promise<object> {
  client.setConfig({ baseUrl: url, auth: token });
  const { data: session } = await startSession({ body: { title: "August" }, throwOnError });
  const file = new File(["from a form"], "note.txt");
  const { data: form } = await uploadFile({ body: { file, session_id: session.session_id }, throwOnError });
  const { data: json } = await uploadContent({ body: { name: "json.txt", b64: "ZnJvbSBKU09O" }, throwOnError });
  const calculated = await ask(session.session_id, '/calculator.evaluate {"expression": "6 * 7"}');
  const approved = await ask(session.session_id, '/approval.write {"name": "written.txt", "text": "hello"}');
  const path = { file_key: form.file_key };
  const { data: link } = await shareFile({ path, body: { ttl_seconds: 60 }, throwOnError });
  for (let number = (await countFiles()) + 1; number <= FILES; number += 1)
    await uploadContent({ body: { name: `${number}.txt`, b64: "YQ==" }, throwOnError });
  const files = await countFiles();
  const texts = [await fetchText(form.file_key), await fetchText(json.file_key)];
  const { response: deleted } = await deleteFile({ path, throwOnError });
  return {
    texts,
    calculated: answerOf(calculated),
    approved: approved.map((event) => event.type),
    link: link.url,
    files,
    deleted: deleted.status,
    conversation: await importAndDelete(),
  };
}

const [, , argument] = process.argv;
if (argument) console.log(JSON.stringify(await main(JSON.parse(argument))));
