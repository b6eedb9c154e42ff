/** Loading of an app while its call runs. Loaded with the first call of a tool that has an app. */
import type { OpenApp } from "../api/types";
import { type Item, itemFromFile } from "../canvas/item";
import { setLoadApp } from "./earlyLoad";
import { loadApp } from "./loadApp";
import { fetchPage } from "./page";
import { rightsOf, rightsWithout } from "./rights";
import { warmFrame } from "./warmFrames";

/** What the page asks the server for when a call starts, while the code of this module loads. */
export interface Started {
  /** The app as an earlier call has left it; null if none of its pages is known. */
  app: Promise<OpenApp | null>;
  /** Origin of the frame for apps; null if this server has none. */
  origin: Promise<string | null>;
}

setLoadApp(loadApp);

/**
 * Prepare for the app of a call: load the code of apps, and a frame that is removed at the signal unless the app takes it.
 * Return the app as it is before the result, or null if none of its pages is known.
 */
export async function loadOpening(callId: string, started: Started, signal: AbortSignal): Promise<Item | null> {
  const code = Promise.all([import("./AppViewer"), import("./session")]);
  code.catch(() => undefined); // the app itself tries again, and shows the error
  const origin = await started.origin;
  if (origin === null) return null;
  warmFrame(callId, rightsWithout(origin), signal); // most apps declare nothing; others get another frame
  const app = await started.app;
  if (!app) return null;
  warmFrame(callId, rightsOf(app.state, origin), signal);
  const { file, html } = await fetchPage(app);
  const title = app.tool?.title ?? file.name;
  return { ...itemFromFile(file), title, opening: { app, html, origin, failure: null } };
}
