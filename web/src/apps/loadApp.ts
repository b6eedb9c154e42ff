/** Loading of an app whose call has a result. */
import { api, unwrap } from "../api/client";
import type { OpenApp } from "../api/types";
import { fetchSandboxOrigin } from "./origin";
import { fetchPage } from "./page";
import { shared } from "./shared";

export interface LoadedApp {
  app: OpenApp;
  html: string;
  /** Origin that serves nothing but the frame for apps. */
  origin: string;
}

/** Load an app: its call and its page. Meanwhile, the bridge loads, too. */
export const loadApp = shared(async ({ file_key, version }): Promise<LoadedApp> => {
  import("./session").catch(() => undefined); // the frame tries again, and shows the error
  const params = { path: { app_key: file_key }, query: { version } };
  const [app, { html }, origin] = await Promise.all([
    unwrap(api.GET("/api/apps/{app_key}", { params })),
    fetchPage({ file_key, version }),
    fetchOrigin(),
  ]);
  return { app, html, origin };
});

async function fetchOrigin(): Promise<string> {
  const origin = await fetchSandboxOrigin();
  if (origin === null) throw new Error("This server has no place to show apps.");
  return origin;
}
