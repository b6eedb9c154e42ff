import { useRef } from "react";
import { AsyncPreview } from "../canvas/PreviewState";
import { useAsync } from "../canvas/useAsync";
import type { ViewerProps } from "../canvas/viewers/types";
import { AppFrame } from "./AppFrame";
import "./apps.css";
import { type LoadedApp, loadApp } from "./loadApp";

/** An app of an MCP server, with the arguments and the result of the call that opened it. */
export default function AppViewer({ item }: ViewerProps) {
  const { opening, fileKey: file_key, version } = item;
  const state = useAsync(opening ? "opening" : `${file_key}@${version}`, async () => opening ?? loadApp({ file_key, version }));
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
