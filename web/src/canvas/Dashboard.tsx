import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { texts } from "../texts";

import { api, unwrap } from "../api/client";
import type { Dashboard as DashboardInfo } from "../api/types";
import { withErrorToast } from "../shared/notifications";
import { addToken, beginsBridge, parseDashboardMessage } from "./dashboardMessages";
import { useAsync } from "./useAsync";

/** Loaded when a dashboard uses it. */
const DashboardBridge = lazy(() => import("../apps/DashboardBridge"));

interface DashboardProps {
  dashboard: DashboardInfo;
  sessionId: string;
  turnId: string;
}

/**
 * Web page of an allowed origin in a sandboxed frame: isolated from this page, and without the user's cookies.
 * If the page wants a token, its URL gets one when the frame opens. The frame isn't reloaded for a new token.
 */
export function Dashboard({ dashboard, sessionId, turnId }: DashboardProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [first, setFirst] = useState<unknown>(null);
  const { id, url, wants_token: wantsToken } = dashboard;
  const origin = getFrameOrigin(url);
  const address = useAsync(url, async () =>
    wantsToken && origin ? addToken(url, await fetchToken(sessionId, turnId, id)) : url,
  );
  useEffect(() => {
    const onMessage = (event: MessageEvent) => {
      const target = frame.current?.contentWindow;
      if (!target || !origin || event.source !== target || event.origin !== origin) return;
      if (beginsBridge(event.data)) setFirst((before: unknown) => before ?? event.data);
      const message = parseDashboardMessage(event.data);
      if (message?.type === "ready" && wantsToken) {
        void withErrorToast(() => sendToken(target, origin, sessionId, turnId, id));
      }
      if (message?.type === "action") void withErrorToast(() => logAction(id, sessionId, message.action, message.details));
    };
    addEventListener("message", onMessage);
    return () => removeEventListener("message", onMessage);
  }, [id, origin, sessionId, turnId, wantsToken]);
  if (!origin) return <p className="viewer-message">{texts.canvas.dashboardNotAllowed}</p>;
  if (address.status === "loading") return <p className="viewer-message">{texts.app.loading}</p>;
  if (address.status === "failed") {
    return (
      <p className="viewer-message" role="alert">
        {address.message}
      </p>
    );
  }
  const title = dashboard.title ?? id;
  return (
    <>
      <iframe
        ref={frame}
        className="viewer-frame"
        title={title}
        src={address.value}
        sandbox="allow-scripts allow-same-origin allow-forms"
        referrerPolicy="no-referrer"
        // Browsers that support it give the frame empty storage: none of the user's cookies for the dashboard's site.
        {...{ credentialless: true }}
      />
      {first !== null && frame.current && (
        <Suspense fallback={null}>
          <DashboardBridge frame={frame.current} origin={origin} sessionId={sessionId} title={title} first={first} />
        </Suspense>
      )}
    </>
  );
}

/** Return the origin of a dashboard. Null for this page's origin: `allow-same-origin` would give the frame access to it. */
function getFrameOrigin(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, origin } = new URL(url);
  return /^https?:$/.test(protocol) && origin !== location.origin ? origin : null;
}

async function sendToken(to: Window, origin: string, sessionId: string, turnId: string, id: string): Promise<void> {
  const token = await fetchToken(sessionId, turnId, id);
  if (token) to.postMessage({ type: "satchel:token", token }, origin);
}

async function fetchToken(sessionId: string, turnId: string, id: string): Promise<string | null> {
  const path = { session_id: sessionId, turn_id: turnId };
  const turn = await unwrap(api.GET("/api/sessions/{session_id}/turns/{turn_id}", { params: { path } }));
  return turn.canvases.find((canvas) => canvas.id === id)?.token ?? null;
}

async function logAction(id: string, session: string, action: string, details: Record<string, unknown>): Promise<void> {
  const body = { action, details: details as never, session_id: session };
  await unwrap(api.POST("/api/canvas/{canvas_id}/actions", { params: { path: { canvas_id: id } }, body }));
}
