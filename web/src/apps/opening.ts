/** Loading of an app while its call runs. Loaded with the first call of a tool that has an app. */
import { preconnect } from "react-dom";
import { api, unwrap } from "../api/client";
import { type Item, itemFromFile } from "../canvas/item";
import { fetchSandboxOrigin } from "./origin";
import type { OpeningCall } from "./openingCalls";
import { fetchPage } from "./page";

/** Prepare for the app of a call. Return it as it is before the result, or null if none of its pages is known. */
export async function loadOpening(call: OpeningCall): Promise<Item | null> {
  const path = { session_id: call.sessionId, turn_id: call.turnId, call_id: call.callId };
  const [{ open_app: app }, origin] = await Promise.all([
    unwrap(api.GET("/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/app", { params: { path } })),
    fetchSandboxOrigin(),
    import("./AppViewer"), // the code that shows the app is ready when the result is
  ]);
  if (origin === null) return null;
  preconnect(origin);
  if (!app) return null;
  const { file, html } = await fetchPage(app);
  const title = app.tool?.title ?? file.name;
  return { ...itemFromFile(file), title, opening: { app, html, origin, failure: null } };
}
