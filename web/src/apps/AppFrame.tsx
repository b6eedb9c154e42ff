import type { McpUiDisplayMode } from "@modelcontextprotocol/ext-apps/app-bridge";
import { useEffect, useRef, useState } from "react";
import type { OpenApp } from "../api/types";
import { showError } from "../shared/notifications";
import { AppCalls } from "./AppCalls";
import { AppQuestion } from "./AppQuestion";
import { type AppCall, callTool } from "./calls";
import { saveFiles } from "./files";
import { buildHostContext, DARK } from "./hostContext";
import { sendMessage, setModelContext } from "./chat";
import { buildPolicy } from "./policy";
import { type AppHost, AppSession, type Question } from "./session";

interface AppFrameProps {
  app: OpenApp;
  html: string;
  origin: string;
  title: string;
}

const MIN_HEIGHT = 120;
const MAX_HEIGHT = 4_000;
const MAX_LOGS = 50;
const MAX_CALLS = 50;

interface OpenQuestion {
  question: Question;
  answer(allowed: boolean): void;
}

/** The frame of a running app with the page's own controls around it. The app cannot draw over them. */
export function AppFrame({ app, html, origin, title }: AppFrameProps) {
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const session = useRef<AppSession | null>(null);
  const [mode, setMode] = useState<McpUiDisplayMode>("inline");
  const [height, setHeight] = useState<number | null>(null);
  const [open, setOpen] = useState<OpenQuestion | null>(null);
  const [calls, setCalls] = useState<readonly AppCall[]>([]);
  const [logs, setLogs] = useState<readonly string[]>([]);
  const [status, setStatus] = useState<"starting" | "running" | "ended">("starting");
  const [run, setRun] = useState(0);
  const isAsking = useRef(false);

  useEffect(() => {
    const target = frame.current;
    if (!target?.contentWindow || !box.current) return;
    const surroundings = box.current;
    const ask = (question: Question): Promise<boolean> => {
      if (isAsking.current) return Promise.resolve(false); // one question at a time: an app cannot pile them up
      isAsking.current = true;
      return new Promise((resolve) => {
        const answer = (allowed: boolean): void => {
          isAsking.current = false;
          setOpen(null);
          resolve(allowed);
        };
        setOpen({ question, answer });
      });
    };
    const controller = new AbortController();
    const recordCall = (call: AppCall): void =>
      setCalls((before) =>
        before.some(({ id }) => id === call.id)
          ? before.map((one) => (one.id === call.id ? call : one))
          : [...before.slice(1 - MAX_CALLS), call],
      );
    const host: AppHost = {
      context: (current) => buildHostContext(app, surroundings, current),
      setHeight: (wanted) => setHeight(Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, wanted))),
      setMode,
      ask,
      callTool: (name, args) => callTool(app, name, args, controller.signal, recordCall),
      sendMessage: (text) => sendMessage(app.session_id, text),
      setModelContext: (text) => setModelContext(app.session_id, title, text),
      openLink: (url) => window.open(url, "_blank", "noopener,noreferrer"),
      saveFiles: (files) => saveFiles(app.session_id, files),
      log: (text) => setLogs((before) => [...before.slice(1 - MAX_LOGS), text]),
      onReady: () => setStatus("running"),
      onEnd: () => setStatus("ended"),
    };
    const current = new AppSession(target.contentWindow, origin, app, html, host);
    session.current = current;
    current.start().then(() => {
      target.src = `${origin}/?csp=${encodeURIComponent(buildPolicy(app.state.policy))}`;
    }, showError);
    const update = (): void => current.update();
    const theme = matchMedia(DARK);
    const observer = new ResizeObserver(update);
    observer.observe(surroundings);
    theme.addEventListener("change", update);
    return () => {
      theme.removeEventListener("change", update);
      observer.disconnect();
      controller.abort();
      void current.close();
    };
  }, [app, html, origin, run]);

  useEffect(() => session.current?.update(mode), [mode]);

  const restart = (): void => {
    setStatus("starting");
    setLogs([]);
    setCalls([]);
    setRun((count) => count + 1);
  };
  const label = app.tool?.title ?? title;
  return (
    <div className={`app app-${mode}`} ref={box}>
      <div className="app-bar row">
        <span className="faint">
          App of <strong>{app.tool_name.split(".")[0]}</strong>
        </span>
        <ModeButtons mode={mode} setMode={setMode} />
      </div>
      {status === "ended" ? (
        <p className="viewer-message">
          The app has closed.{" "}
          <button type="button" onClick={restart}>
            Open again
          </button>
        </p>
      ) : (
        <div className="app-scroll">
          <iframe
            key={run}
            ref={frame}
            className="app-frame"
            title={`App: ${label}`}
            sandbox="allow-scripts allow-same-origin allow-forms"
            allow={app.state.writes_clipboard ? "clipboard-write" : undefined}
            referrerPolicy="no-referrer"
            style={mode === "inline" && height !== null ? { height } : undefined}
            data-status={status}
          />
        </div>
      )}
      <AppCalls calls={calls} />
      {logs.length > 0 && (
        <details className="app-logs">
          <summary>Messages of the app ({logs.length})</summary>
          <pre tabIndex={0}>{logs.join("\n")}</pre>
        </details>
      )}
      {open && <AppQuestion title={label} {...open} />}
    </div>
  );
}

function ModeButtons({ mode, setMode }: { mode: McpUiDisplayMode; setMode(mode: McpUiDisplayMode): void }) {
  useEffect(() => {
    if (mode === "inline") return;
    const leave = (event: KeyboardEvent): void => {
      if (event.key === "Escape") setMode("inline");
    };
    addEventListener("keydown", leave);
    return () => removeEventListener("keydown", leave);
  }, [mode]);
  if (mode !== "inline") {
    return (
      <button type="button" onClick={() => setMode("inline")}>
        Back to canvas
      </button>
    );
  }
  return (
    <>
      <button type="button" onClick={() => setMode("fullscreen")}>
        Full screen
      </button>
      <button type="button" onClick={() => setMode("pip")}>
        Small window
      </button>
    </>
  );
}
