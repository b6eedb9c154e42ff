import { useEffect, useRef, useState } from "react";
import { texts } from "../../texts";

import { fetchSandboxOrigin } from "../../apps/origin";
import type { Item } from "../item";
import { PreviewError } from "../PreviewState";
import { useAsync } from "../useAsync";

/**
 * Content security policy of pages with scripts. Scripts in the page run and may create others; nothing can be requested
 * or loaded, and the frame cannot navigate, because its embedder forbids all frames.
 */
export const SCRIPT_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval' blob: data:",
  "style-src 'unsafe-inline' blob: data:",
  "img-src blob: data:",
  "font-src blob: data:",
  "media-src blob: data:",
  "worker-src blob:",
  "connect-src 'none'",
  "frame-src 'none'",
  "base-uri 'none'",
].join("; ");

const READY = "ui/notifications/sandbox-proxy-ready";
const RESOURCE = "ui/notifications/sandbox-resource-ready";
const LEFT = "ui/notifications/request-teardown";

/**
 * HTML with its scripts. They run in the frame for apps: it comes from an origin without data, and shows the page in an
 * inner frame with an opaque origin. The policy above lets no request leave.
 */
export function ScriptedFrame({ item, html }: { item: Item; html: string }) {
  const state = useAsync("origin", fetchSandboxOrigin);
  if (state.status === "loading") return <p className="viewer-message">{texts.app.loading}</p>;
  if (state.status === "failed") return <PreviewError item={item} message={state.message} />;
  if (state.value === null) return <PreviewError item={item} message={texts.viewers.noScripts} />;
  return <Frame title={item.title} html={html} origin={state.value} />;
}

function Frame({ title, html, origin }: { title: string; html: string; origin: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [hasLeft, setHasLeft] = useState(false);
  useEffect(() => {
    const onMessage = ({ source, origin: sender, data }: MessageEvent<unknown>) => {
      const target = frame.current?.contentWindow;
      if (!target || source !== target || sender !== origin) return;
      const { method } = (data ?? {}) as { method?: unknown };
      if (method === READY) target.postMessage({ jsonrpc: "2.0", method: RESOURCE, params: { html } }, origin);
      if (method === LEFT) setHasLeft(true);
    };
    addEventListener("message", onMessage);
    return () => removeEventListener("message", onMessage);
  }, [html, origin]);
  if (hasLeft) return <p className="viewer-message">{texts.viewers.pageLeft}</p>;
  return (
    <iframe
      ref={frame}
      className="viewer-frame"
      title={title}
      src={`${origin}/?csp=${encodeURIComponent(SCRIPT_POLICY)}`}
      sandbox="allow-scripts allow-same-origin"
      referrerPolicy="no-referrer"
    />
  );
}
