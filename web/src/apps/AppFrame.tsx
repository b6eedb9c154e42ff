import type { McpUiDisplayMode } from "@modelcontextprotocol/ext-apps/app-bridge";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { OpenApp } from "../api/types";
import { showError } from "../shared/notifications";
import { AppCalls } from "./AppCalls";
import { AppQuestion } from "./AppQuestion";
import { isInUse, watchFocus } from "./attention";
import { type AppCall, callTool } from "./calls";
import { AppFiles, saveFiles, toTarget } from "./files";
import { buildHostContext, watchSurroundings } from "./hostContext";
import { sendMessage, setModelContext } from "./chat";
import { rightsOf } from "./rights";
import type { AppHost, AppSession, CallOfApp } from "./session";
import { useQuestions } from "./useQuestions";
import { takeFrame } from "./warmFrames";

interface AppFrameProps {
  call: CallOfApp;
  html: string;
  origin: string;
  title: string;
}

const CLOSED = "The app has closed.";
const TOOK_FOCUS = "The app took the keyboard while you were typing, and was closed.";
const MIN_HEIGHT = 120;
const MAX_HEIGHT = 4_000;
const MAX_LOGS = 50;
const MAX_CALLS = 50;

/** The frame of a running app with the page's own controls around it. The app cannot draw over them. */
export function AppFrame({ call, html, origin, title }: AppFrameProps) {
  const { app, failure } = call;
  const latest = useRef(call);
  latest.current = call;
  const ended = useEndedCall(call);
  const label = app.tool?.title ?? title;
  const box = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const session = useRef<AppSession | null>(null);
  const [mode, setMode] = useState<McpUiDisplayMode>("inline");
  const latestMode = useRef(mode);
  latestMode.current = mode;
  const [height, setHeight] = useState<number | null>(null);
  const { open, ask, reset } = useQuestions();
  const [calls, setCalls] = useState<readonly AppCall[]>([]);
  const [logs, setLogs] = useState<readonly string[]>([]);
  const [status, setStatus] = useState<"starting" | "running" | "ended">("starting");
  const [reason, setReason] = useState(CLOSED);
  const [run, setRun] = useState(0);

  // Before the browser paints, so that the frame does not wait for it.
  useLayoutEffect(() => {
    if (!place.current || !box.current) return;
    const surroundings = box.current;
    const transport = takeFrame(app.call_id, rightsOf(app.state, origin), place.current);
    const target = transport.element;
    target.className = "app-frame";
    target.title = `App: ${label}`;
    frame.current = target;
    transport.show(html);
    const controller = new AbortController();
    const recordCall = (call: AppCall): void =>
      setCalls((before) =>
        before.some(({ id }) => id === call.id)
          ? before.map((one) => (one.id === call.id ? call : one))
          : [...before.slice(1 - MAX_CALLS), call],
      );
    const files = new AppFiles();
    const host: AppHost = {
      context: (current) => buildHostContext(latest.current.app, surroundings, current),
      setHeight: (wanted) => setHeight(Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, wanted))),
      setMode,
      isInUse: () => isInUse(target),
      ask: (question) => ask(target, question),
      callTool: async (name, args) => callTool(await ended, name, args, files, controller.signal, recordCall),
      sendMessage: (text) => sendMessage(app.session_id, text),
      setModelContext: (text) => setModelContext(app.session_id, title, text),
      openLink: (url) => window.open(url, "_blank", "noopener,noreferrer"),
      files,
      saveFiles: async (offered) => saveFiles(toTarget(await ended), files, offered),
      log: (text) => setLogs((before) => [...before.slice(1 - MAX_LOGS), text]),
      onReady: () => setStatus("running"),
      onEnd: () => setStatus("ended"),
    };
    const connect = async (): Promise<void> => {
      const { AppSession } = await import("./session"); // while the app loads
      if (controller.signal.aborted) return;
      session.current = new AppSession(transport, latest.current, host, latestMode.current);
      await session.current.start();
    };
    session.current = null;
    connect().catch(showError);
    const close = (): void => void (session.current ?? transport).close();
    const stopWatching = watchSurroundings(surroundings, () => session.current?.update());
    const unwatch = watchFocus(target, () => {
      setReason(TOOK_FOCUS);
      close();
      setStatus("ended");
    });
    return () => {
      stopWatching();
      unwatch();
      controller.abort();
      close();
      target.remove();
    };
    // The app and its session are those of one call, whose result the frame gets without loading again.
  }, [html, origin, run, ask, ended]);

  useEffect(() => session.current?.setCall(latest.current), [call.hasResult, failure]);
  useEffect(() => session.current?.update(mode), [mode]);
  useLayoutEffect(() => {
    if (!frame.current) return;
    frame.current.dataset.status = status;
    frame.current.style.height = mode === "inline" && height !== null ? `${height}px` : "";
  }, [run, status, mode, height]);

  const restart = (): void => {
    setStatus("starting");
    setReason(CLOSED);
    reset();
    setLogs([]);
    setCalls([]);
    setRun((count) => count + 1);
  };
  const server = app.tool_name.split(".")[0] ?? "";
  return (
    <div className={`app app-${mode}`} ref={box}>
      <div className="app-bar row">
        <span className="faint">
          App of <strong>{server}</strong>
        </span>
        <ModeButtons mode={mode} setMode={setMode} />
      </div>
      {failure !== null && (
        <p className="viewer-note" role="note">
          {failure.isResult ? "The tool of the app has failed" : "The call of the app has no result"}: {failure.message}
        </p>
      )}
      {status === "ended" ? (
        <p className="viewer-message">
          {reason}{" "}
          <button type="button" onClick={restart}>
            Open again
          </button>
        </p>
      ) : (
        <div key={run} className="app-scroll" ref={place} />
      )}
      <AppCalls calls={calls} />
      {logs.length > 0 && (
        <details className="app-logs">
          <summary>Messages of the app ({logs.length})</summary>
          <pre tabIndex={0}>{logs.join("\n")}</pre>
        </details>
      )}
      {open && <AppQuestion title={label} server={server} {...open} />}
    </div>
  );
}

/** Return a promise of the app as it is after its call. It fails if the call does: such an app can do nothing. */
function useEndedCall({ app, hasResult, failure }: CallOfApp): Promise<OpenApp> {
  const [{ promise, resolve, reject }] = useState(createEnd);
  useEffect(() => {
    if (hasResult) resolve(app);
    else if (failure !== null) reject(new Error(failure.message));
  }, [hasResult, failure]);
  return promise;
}

function createEnd() {
  let resolve: (app: OpenApp) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<OpenApp>((onApp, onError) => {
    [resolve, reject] = [onApp, onError];
  });
  promise.catch(() => undefined); // an app need not wait for its call
  return { promise, resolve, reject };
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
