import { useRef } from "react";
import { api, unwrap } from "../api/client";
import type { OpenApp } from "../api/types";
import type { Item } from "../canvas/item";
import { AsyncPreview } from "../canvas/PreviewState";
import { useAsync } from "../canvas/useAsync";
import type { ViewerProps } from "../canvas/viewers/types";
import { AppFrame } from "./AppFrame";
import "./apps.css";
import { fetchSandboxOrigin } from "./origin";
import { fetchPage } from "./page";

interface LoadedApp {
  app: OpenApp;
  html: string;
  /** Origin that serves nothing but the frame for apps. */
  origin: string;
}

/** An app of an MCP server, with the arguments and the result of the call that opened it. */
export default function AppViewer({ item }: ViewerProps) {
  const { opening } = item;
  const state = useAsync(opening ? "opening" : `${item.fileKey}@${item.version}`, async () => opening ?? loadApp(item));
  const shown = useRef<{ loaded: LoadedApp; page: number } | null>(null);
  const loaded = opening ?? (state.status === "loaded" ? state.value : null);
  // The page that opened before the result stays if the call has the same one.
  if (loaded && !(shown.current && hasSamePage(shown.current.loaded, loaded))) {
    shown.current = { loaded, page: (shown.current?.page ?? 0) + 1 };
  } else if (loaded && shown.current) shown.current = { ...shown.current, loaded };
  if (shown.current && state.status !== "failed") {
    const { loaded: { app, html, origin }, page } = shown.current;
    const call = { app, hasResult: !opening && loaded !== null, failure: opening?.failure ?? null };
    return <AppFrame key={page} call={call} html={html} origin={origin} title={item.title} />;
  }
  return <AsyncPreview item={item} state={state}>{() => null}</AsyncPreview>;
}

/** Return true if the frame of an app can go on with another call: its page and what the page may do are the same. */
function hasSamePage(one: LoadedApp, other: LoadedApp): boolean {
  const rights = ({ app: { state } }: LoadedApp): string => JSON.stringify([state.policy, state.writes_clipboard]);
  return one.html === other.html && one.origin === other.origin && rights(one) === rights(other) && one.app.call_id === other.app.call_id;
}

async function loadApp(item: Item): Promise<LoadedApp> {
  const params = { path: { app_key: item.fileKey }, query: { version: item.version } };
  const [app, { html }, origin] = await Promise.all([
    unwrap(api.GET("/api/apps/{app_key}", { params })),
    fetchPage({ file_key: item.fileKey, version: item.version }),
    fetchOrigin(),
  ]);
  return { app, html, origin };
}

async function fetchOrigin(): Promise<string> {
  const origin = await fetchSandboxOrigin();
  if (origin === null) throw new Error("This server has no place to show apps.");
  return origin;
}
