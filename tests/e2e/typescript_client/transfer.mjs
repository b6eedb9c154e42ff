// Upload random bytes, interrupted after two parts and resumed, download and compare them, and use the other operations.
// Argument: JSON {url, token, user}. Prints a line of JSON.
import { ApiError, Client } from "@satchel/client";

const all = async (list) => {
  const items = [];
  for await (const item of list) items.push(item);
  return items;
};
const client = new Client(JSON.parse(process.argv[2]));
const bytes = new Uint8Array(18 << 20).map((_, index) => index * 31 + (index >> 13));
const big = new File([bytes], "big.bin");
const stop = new AbortController();
const sent = [];
const interrupted = await client.files
  .upload(big, { signal: stop.signal, onProgress: (count) => count > 10 << 20 && stop.abort() })
  .then(() => "not interrupted", (error) => error.name);
const unfinished = await all(client.files.uploads());
const stored = await client.files.upload(big, { onProgress: (count) => sent.push(count) });
const keyed = [];
for (const size of [100, 2 << 20])
  for (let time = 0; time < 2; time++)
    keyed.push(await client.files.upload(new File([new Uint8Array(size)], `${size}.bin`), { idempotencyKey: `${size}` }));
const received = new Uint8Array(await new Response(client.files.download(stored)).arrayBuffer());
const rest = new Uint8Array(await new Response(client.files.download(stored, { start: 18 << 19 })).arrayBuffer());
const isEqual = (one, other) => Buffer.compare(one, other) === 0;

const session = await client.startSession({ title: "first" });
await session.change({ title: "second" });
const turn = await session.ask('/calculator.evaluate {"expression": "6 * 7"}', { files: [stored] });
const answer = await turn.wait();
const link = await client.files.share(stored.file_key);
const links = await all(client.links());
await client.revokeLink(link.link_id);
await client.files.delete(stored.file_key);
const params = { path: { file_key: keyed[0].file_key } };
const tag = (await client.api.GET("/api/files/{file_key}", { params })).response.headers.get("ETag");
const deleteIf = (etag) =>
  client.api.DELETE("/api/files/{file_key}", { params: { ...params, header: { "if-match": etag } } });
const deleted = [(await deleteIf('"other"')).response.status, (await deleteIf(tag)).response.status];
const missing = await client.files.read(stored.file_key).catch((error) => error instanceof ApiError && error.code);
const header = { "idempotency-key": "k" };
const shared = [];
const tokens = [];
for (let time = 0; time < 2; time++) {
  const path = { session_id: session.sessionId };
  shared.push((await client.api.POST("/api/sessions/{session_id}/links", { params: { path, header } })).data);
  tokens.push((await client.api.POST("/api/me/tokens", { params: { header }, body: { name: "program" } })).data);
}
const distinct = (items, name) => new Set(items.map((item) => item[name])).size;
await client.close();
console.log(JSON.stringify({
  interrupted,
  unfinished: unfinished.map(({ name }) => name),
  resumed: sent.at(-1),
  isWhole: isEqual(received, bytes),
  isRest: isEqual(rest, bytes.subarray(18 << 19)),
  title: (await session.read()).title,
  turns: (await all(session.turns())).length,
  message: answer.message,
  links: links.length,
  keyed: keyed.map(({ file_key, version }) => `${version} ${keyed.findIndex((each) => each.file_key === file_key)}`),
  deleted,
  shared: [distinct(shared, "chat_link_id"), distinct(shared, "url")],
  tokens: [distinct(tokens, "token_id"), distinct(tokens, "token")],
  missing,
}));
