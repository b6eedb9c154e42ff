/** Uses the types of openapi-typescript with openapi-fetch, without casts. Compiled by the tests. */
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

type Event = components["schemas"]["EventPage"]["events"][number];

export const api = createClient<paths>({ baseUrl: "http://127.0.0.1:8000", headers: { Authorization: "Bearer key" } });

export async function ask(file: Blob): Promise<string> {
  const { data: session } = await api.POST("/api/sessions", { body: { title: "August" } });
  if (!session) throw new Error("no session");
  const body = { file, session_id: session.session_id };
  const { data: form } = await api.POST("/api/files", { body, bodySerializer: toForm });
  const { data: json } = await api.POST("/api/files/content", { body: { name: "a.txt", b64: "YQ==" } });
  const path = { session_id: session.session_id };
  const { data: turn, error } = await api.POST("/api/sessions/{session_id}/turns", { params: { path }, body: { message: "Hi" } });
  if (error) throw new Error("error_code" in error ? error.error_code : error.message);
  const params = { path: { ...path, turn_id: turn.turn_id }, query: { after: 0, wait: 25 } };
  const { data: page } = await api.GET("/api/sessions/{session_id}/turns/{turn_id}/events", { params });
  return [form?.file_key, json?.download_url, ...(page?.events ?? []).map(textOf)].join();
}

function toForm(body: { file: Blob; session_id?: string }): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.append(name, value);
  return form;
}

function textOf(event: Event): string {
  switch (event.type) {
    case "token_stream":
      return event.text;
    case "tool_approval_request":
      return event.expires_at;
    case "intermediate_update":
      return event.update_type === "files_update" ? event.files.map((file) => file.name).join() : event.update_type;
    case "response_complete":
      return event.response?.answer ?? "";
    default:
      return event.type;
  }
}
