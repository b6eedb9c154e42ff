/** Loading of an app while its call runs. Loaded with the first call of a tool that has an app. */
import { api, unwrap } from "../api/client";
import type { OpenApp } from "../api/types";
import { type Item, itemFromFile } from "../canvas/item";
import { fetchSandboxOrigin } from "./origin";
import type { OpeningCall } from "./openingCalls";
import { fetchPage } from "./page";
import { rightsOf, rightsWithout } from "./rights";
import { warmFrame } from "./warmFrames";

/**
 * Prepare for the app of a call: load the code of apps, and a frame that is removed at the signal unless the app takes it.
 * Return the app as it is before the result, or null if none of its pages is known.
 */
export async function loadOpening(call: OpeningCall, signal: AbortSignal): Promise<Item | null> {
  const preload = Promise.all([import("./AppViewer"), import("./session")]);
  preload.catch(() => undefined); // the app itself tries again, and shows the error
  const [app, origin] = await Promise.all([fetchStarted(call), fetchOriginAndWarm(call, signal)]);
  if (origin === null || !app) return null;
  warmFrame(call.callId, rightsOf(app.state, origin), signal);
  const { file, html } = await fetchPage(app);
  const title = app.tool?.title ?? file.name;
  return { ...itemFromFile(file), title, opening: { app, html, origin, failure: null } };
}

async function fetchStarted(call: OpeningCall): Promise<OpenApp | null> {
  const path = { session_id: call.sessionId, turn_id: call.turnId, call_id: call.callId };
  const { open_app } = await unwrap(
    api.GET("/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/app", { params: { path } }),
  );
  return open_app ?? null;
}

/** Load a frame for an app that declares nothing, as most do. An app with other rights gets another frame. */
async function fetchOriginAndWarm(call: OpeningCall, signal: AbortSignal): Promise<string | null> {
  const origin = await fetchSandboxOrigin();
  if (origin !== null) warmFrame(call.callId, rightsWithout(origin), signal);
  return origin;
}
