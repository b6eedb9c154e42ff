import type { CallToolResult, JSONRPCMessage } from "@modelcontextprotocol/client";
import { useEffect } from "react";
import { AppQuestion } from "./AppQuestion";
import { isInUse } from "./attention";
import "./apps.css";
import { sendMessage, setModelContext } from "./chat";
import { AppFiles, saveFiles } from "./files";
import { buildHostContext, watchSurroundings } from "./hostContext";
import { type AppHost, AppSession } from "./session";
import { FrameTransport } from "./transport";
import { useQuestions } from "./useQuestions";

interface DashboardBridgeProps {
  frame: HTMLIFrameElement;
  origin: string;
  sessionId: string;
  title: string;
  /** The message with which the dashboard began. */
  first: unknown;
}

/** The bridge of MCP Apps for a dashboard that begins to speak it. A dashboard calls no tools: it has its own site. */
export default function DashboardBridge({ frame, origin, sessionId, title, first }: DashboardBridgeProps) {
  const { open, ask } = useQuestions();
  useEffect(() => {
    if (!frame.contentWindow) return;
    const files = new AppFiles();
    const host: AppHost = {
      context: () => ({ ...buildHostContext(null, frame, "inline"), availableDisplayModes: ["inline"] }),
      setHeight: () => undefined,
      setMode: () => undefined,
      isInUse: () => isInUse(frame),
      ask: (question) => ask(frame, question),
      callTool: (): Promise<CallToolResult> => Promise.reject(new Error("A dashboard calls no tools.")),
      sendMessage: (text) => sendMessage(sessionId, text),
      setModelContext: (text) => setModelContext(sessionId, title, text),
      openLink: (url) => window.open(url, "_blank", "noopener,noreferrer"),
      files,
      saveFiles: (offered) => saveFiles({ sessionId }, files, offered),
      log: () => undefined,
      onReady: () => undefined,
      onEnd: () => undefined,
    };
    const session = new AppSession(new FrameTransport(frame.contentWindow, origin), null, host);
    void session.start(first as JSONRPCMessage);
    const stopWatching = watchSurroundings(frame, () => session.update());
    return () => {
      stopWatching();
      void session.close();
    };
  }, [frame, origin, sessionId, title, first, ask]);
  return open && <AppQuestion title={title} server={new URL(origin).host} {...open} />;
}
