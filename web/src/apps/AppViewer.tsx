import { api, unwrap } from "../api/client";
import type { OpenApp } from "../api/types";
import { fetchContent } from "../canvas/content";
import type { Item } from "../canvas/item";
import { AsyncPreview } from "../canvas/PreviewState";
import { useAsync } from "../canvas/useAsync";
import type { ViewerProps } from "../canvas/viewers/types";
import { AppFrame } from "./AppFrame";
import "./apps.css";
import { fetchSandboxOrigin } from "./origin";

interface LoadedApp {
  app: OpenApp;
  html: string;
  /** Origin that serves nothing but the frame for apps. */
  origin: string;
}

const MAX_BYTES = 16 << 20;

/** An app of an MCP server, with the arguments and the result of the call that opened it. */
export default function AppViewer({ item }: ViewerProps) {
  const state = useAsync(`${item.fileKey}@${item.version}`, () => loadApp(item));
  return (
    <AsyncPreview item={item} state={state}>
      {(loaded) => <AppFrame title={item.title} {...loaded} />}
    </AsyncPreview>
  );
}

async function loadApp(item: Item): Promise<LoadedApp> {
  const params = { path: { app_key: item.fileKey }, query: { version: item.version } };
  const [app, html, origin] = await Promise.all([
    unwrap(api.GET("/api/apps/{app_key}", { params })),
    fetchHtml(item),
    fetchOrigin(),
  ]);
  return { app, html, origin };
}

async function fetchHtml(item: Item): Promise<string> {
  const { response } = await fetchContent(await item.link(), item.size, MAX_BYTES);
  return response.text();
}

async function fetchOrigin(): Promise<string> {
  const origin = await fetchSandboxOrigin();
  if (origin === null) throw new Error("This server has no place to show apps.");
  return origin;
}
