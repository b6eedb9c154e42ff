/** Uses the client of @hey-api/openapi-ts, without casts. Compiled by the tests. */
import { client } from "./hey/client.gen";
import { download, readEvents, startSession, takeTurn, uploadContent, uploadFile } from "./hey/index";

client.setConfig({ baseUrl: "http://127.0.0.1:8000", auth: "key" });

export async function ask(file: Blob): Promise<string> {
  const { data: session } = await startSession({ body: { title: "August" }, throwOnError: true });
  const { data: form } = await uploadFile({ body: { file, session_id: session.session_id }, throwOnError: true });
  const { data: json } = await uploadContent({ body: { name: "a.txt", b64: "YQ==" }, throwOnError: true });
  const path = { session_id: session.session_id };
  const { data: turn } = await takeTurn({ path, body: { message: "Hi" }, throwOnError: true });
  const { data: page } = await readEvents({ path: { ...path, turn_id: turn.turn_id }, throwOnError: true });
  const { data: bytes } = await download({ path: { file_key: form.file_key }, query: { token: "t" }, throwOnError: true });
  const texts = page.events.map((event) => (event.type === "token_stream" ? event.text : event.type));
  return [bytes, json.name, ...texts].join();
}
