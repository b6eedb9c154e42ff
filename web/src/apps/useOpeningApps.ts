import { useEffect, useRef } from "react";
import { api, unwrap } from "../api/client";
import type { OpenApp } from "../api/types";
import { createFileTab, openTabs, type TabsState, withFailures } from "../canvas/tabs";
import type { OpeningCall } from "./openingCalls";
import { fetchSandboxOrigin } from "./origin";

/** After this time, a call that has succeeded has no app that could take what was prepared. */
const UNUSED_MS = 10_000;

/** Open the app of each call that starts, and tell it if the call fails. The result opens all others. */
export function useOpeningApps(
  calls: readonly OpeningCall[],
  setTabs: (change: (before: TabsState) => TabsState) => void,
  setOpen: (open: boolean) => void,
): void {
  const latest = useRef(calls);
  latest.current = calls;
  const handled = useRef(new Set<string>());
  /** By the id of the call: what ends the preparations for its app, unless the app has taken them. */
  const preparing = useRef(new Map<string, AbortController>());
  useEffect(() => {
    for (const call of calls.filter(({ id, isRunning }) => isRunning && !handled.current.has(id))) {
      const controller = new AbortController();
      handled.current.add(call.id);
      preparing.current.set(call.id, controller);
      const open = async (): Promise<void> => {
        const started = { app: fetchStarted(call), origin: fetchSandboxOrigin() };
        void Promise.allSettled(Object.values(started)); // until the code below has come, nothing else handles their errors
        const { loadOpening } = await import("./opening");
        const item = await loadOpening(call.callId, started, controller.signal);
        const isRunning = latest.current.some((one) => one.id === call.id && one.isRunning);
        if (item === null || !isRunning || controller.signal.aborted) return;
        setTabs((before) => openTabs(before, [createFileTab(item, call.turnId, call.id)], "append"));
        setOpen(true);
      };
      open().catch((error: unknown) => console.warn("The app opens with the result of its call:", error));
    }
    for (const [id, controller] of preparing.current) {
      const call = calls.find((one) => one.id === id);
      if (call?.isRunning) continue;
      preparing.current.delete(id);
      if (!call) handled.current.delete(id); // the user has left the session; back in it, the app opens again
      if (!call || call.failure !== null) controller.abort();
      else setTimeout(() => controller.abort(), UNUSED_MS);
    }
    const failures = new Map(calls.flatMap(({ id, failure }) => (failure === null ? [] : [[id, failure] as const])));
    if (failures.size > 0) setTabs((before) => withFailures(before, failures));
  }, [calls, setTabs, setOpen]);
  useEffect(() => () => preparing.current.forEach((controller) => controller.abort()), []);
}

async function fetchStarted({ sessionId: session_id, turnId: turn_id, callId: call_id }: OpeningCall): Promise<OpenApp | null> {
  const params = { path: { session_id, turn_id, call_id } };
  const { open_app } = await unwrap(api.GET("/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/app", { params }));
  return open_app ?? null;
}
