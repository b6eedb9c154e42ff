import { useEffect, useRef } from "react";

import { api, ask } from "../api/client";
import type { Dashboard as Shown } from "../api/types";
import { tellingErrors } from "../shared/errors";
import { saidBy } from "./dashboardMessages";

interface DashboardProps {
  dashboard: Shown;
  sessionId: string;
  turnId: string;
}

/** A page of an allowed origin in a frame: its scripts run, apart from ours, and without the person's cookies for it. */
export function Dashboard({ dashboard, sessionId, turnId }: DashboardProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { id, url, wants_token: wantsToken } = dashboard;
  const origin = originOf(url);
  useEffect(() => {
    const hear = (event: MessageEvent) => {
      const target = frame.current?.contentWindow;
      if (!target || !origin || event.source !== target || event.origin !== origin) return;
      const said = saidBy(event.data);
      if (said?.type === "ready" && wantsToken) void tellingErrors(() => handToken(target, origin, sessionId, turnId, id));
      if (said?.type === "action") void tellingErrors(() => log(id, sessionId, said.action, said.details));
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, [id, origin, sessionId, turnId, wantsToken]);
  if (!origin) return <p className="viewer-note">This dashboard has no address that can be shown.</p>;
  return (
    <iframe
      ref={frame}
      className="viewer-frame"
      title={dashboard.title ?? id}
      src={url}
      sandbox="allow-scripts allow-same-origin allow-forms"
      referrerPolicy="no-referrer"
      // Where the browser knows it, the frame has a storage of its own: no cookies that somebody has there already.
      {...{ credentialless: true }}
    />
  );
}

/** Never our own: there, `allow-same-origin` would open the page. */
function originOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, origin } = new URL(url);
  return /^https?:$/.test(protocol) && origin !== location.origin ? origin : null;
}

async function handToken(to: Window, origin: string, sessionId: string, turnId: string, id: string): Promise<void> {
  const path = { session_id: sessionId, turn_id: turnId };
  const turn = await ask(api.GET("/api/sessions/{session_id}/turns/{turn_id}", { params: { path } }));
  const token = turn.canvas?.id === id ? turn.canvas.token : null;
  if (token) to.postMessage({ type: "satchel:token", token }, origin);
}

async function log(id: string, session: string, action: string, details: Record<string, unknown>): Promise<void> {
  const body = { action, details: details as never, session_id: session };
  await ask(api.POST("/api/canvas/{canvas_id}/actions", { params: { path: { canvas_id: id } }, body }));
}
