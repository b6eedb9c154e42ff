import { useEffect, useRef } from "react";
import { createFileTab, openTabs, type TabsState, withFailures } from "../canvas/tabs";
import type { OpeningCall } from "./openingCalls";

/** Open the app of each call that starts, and tell it if the call fails. The result opens all others. */
export function useOpeningApps(
  calls: readonly OpeningCall[],
  setTabs: (change: (before: TabsState) => TabsState) => void,
  setOpen: (open: boolean) => void,
): void {
  const latest = useRef(calls);
  latest.current = calls;
  const handled = useRef(new Set<string>());
  useEffect(() => {
    for (const call of calls.filter(({ id, isRunning }) => isRunning && !handled.current.has(id))) {
      handled.current.add(call.id);
      const open = async (): Promise<void> => {
        const { loadOpening } = await import("./opening");
        const item = await loadOpening(call);
        const isRunning = latest.current.some((one) => one.id === call.id && one.isRunning);
        if (item === null || !isRunning) return;
        setTabs((before) => openTabs(before, [createFileTab(item, call.turnId, call.id)], "append"));
        setOpen(true);
      };
      open().catch((error: unknown) => console.warn("The app opens with the result of its call:", error));
    }
    const failures = new Map(calls.flatMap(({ id, failure }) => (failure === null ? [] : [[id, failure] as const])));
    if (failures.size > 0) setTabs((before) => withFailures(before, failures));
  }, [calls, setTabs, setOpen]);
}
