import { useEffect, useRef } from "react";
import { createFileTab, openTabs, type TabsState, withFailures } from "../canvas/tabs";
import type { OpeningCall } from "./openingCalls";

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
  const handled = useRef(new Map<string, AbortController>());
  useEffect(() => {
    for (const call of calls.filter(({ id, isRunning }) => isRunning && !handled.current.has(id))) {
      const controller = new AbortController();
      handled.current.set(call.id, controller);
      const open = async (): Promise<void> => {
        const { loadOpening } = await import("./opening");
        const item = await loadOpening(call, controller.signal);
        const isRunning = latest.current.some((one) => one.id === call.id && one.isRunning);
        if (item === null || !isRunning) return;
        setTabs((before) => openTabs(before, [createFileTab(item, call.turnId, call.id)], "append"));
        setOpen(true);
      };
      open().catch((error: unknown) => console.warn("The app opens with the result of its call:", error));
    }
    for (const [id, controller] of handled.current) {
      const call = calls.find((one) => one.id === id);
      if (!call || call.failure !== null) controller.abort();
      else if (!call.isRunning) setTimeout(() => controller.abort(), UNUSED_MS);
    }
    const failures = new Map(calls.flatMap(({ id, failure }) => (failure === null ? [] : [[id, failure] as const])));
    if (failures.size > 0) setTabs((before) => withFailures(before, failures));
  }, [calls, setTabs, setOpen]);
}
