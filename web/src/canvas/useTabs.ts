import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

import { useOpeningApps } from "../apps/useOpeningApps";
import { itemFromFile, itemFromTurn } from "./item";
import { onShowFile } from "./showFile";
import {
  createDashboardTab,
  createFileTab,
  leaveSession,
  NO_TABS,
  openTabs,
  outlivesTurn,
  restoreTabs,
  showTab,
  type Tab,
  type TabsState,
  tabsToOpen,
  withOpeningApp,
} from "./tabs";
import type { CanvasProps, OpenRequest, ToolOutput } from "./types";

interface TabsControl {
  tabs: TabsState;
  setTabs(tabs: TabsState): void;
  /** Incremented when the user, not a tool, opens something. */
  userOpens: number;
}

/** Tabs of the canvas: opened by tools, by a file's button in the chat, and by My Files. */
export function useTabs({ sessionId, outputs, openingCalls, openRequest, setOpen }: CanvasProps): TabsControl {
  const [tabs, setTabs] = useState<TabsState>(NO_TABS);
  const [userOpens, setUserOpens] = useState(0);
  const currentSession = useRef(sessionId);
  const latestTabs = useRef(tabs);
  latestTabs.current = tabs;
  const handledOutputs = useRef(new Set<string>());

  // Before the browser paints, so that the files of a call do not wait for that.
  useLayoutEffect(() => {
    if (currentSession.current !== sessionId) {
      const isFirstMessage = currentSession.current === ""; // the session was just created: keep the open tabs
      currentSession.current = sessionId;
      handledOutputs.current = new Set();
      const remaining = isFirstMessage ? latestTabs.current : leaveSession(latestTabs.current);
      setTabs(remaining);
      if (remaining.tabs.length === 0) setOpen(false);
    }
    for (const output of outputs.filter((one) => !handledOutputs.current.has(getStateKey(one)))) {
      handledOutputs.current.add(getStateKey(output));
      const { tabs: added, mode } = tabsToOpen(sessionId, output);
      if (!output.live) {
        const closed = readClosedDashboards(sessionId);
        const restored = added.filter((tab) => outlivesTurn(tab) && !closed.has(tab.key));
        setTabs((before) => restoreTabs(before, restored));
      } else if (added.length > 0) {
        setTabs((before) => openTabs(before, withOpeningApp(before, added, output.id), mode));
        setOpen(true);
      }
    }
  }, [sessionId, outputs, setOpen]);

  useOpeningApps(openingCalls, setTabs, setOpen);

  const show = useCallback(
    (tab: Tab) => {
      setTabs((before) => showTab(before, tab));
      setOpen(true);
      setUserOpens((count) => count + 1);
    },
    [setOpen],
  );

  useEffect(() => {
    if (openRequest) show(createRequestedTab(sessionId, openRequest));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once per click, whatever else changes
  }, [openRequest]);

  useEffect(() => onShowFile((file) => show(createFileTab(itemFromFile(file)))), [show]);

  const change = (next: TabsState) => {
    const closed = tabs.tabs.filter((tab) => !next.tabs.includes(tab) && outlivesTurn(tab));
    saveClosedDashboards(sessionId, closed);
    setTabs(next);
  };
  return { tabs, setTabs: change, userOpens };
}

/** A call's dashboard may arrive after its files: then its output is handled again. */
function getStateKey({ id, dashboard }: ToolOutput): string {
  return dashboard ? `${id}+dashboard` : id;
}

function createRequestedTab(sessionId: string, { turnId, output }: OpenRequest): Tab {
  return "file_key" in output
    ? createFileTab(itemFromTurn(output), turnId)
    : createDashboardTab(output, sessionId, turnId);
}

/** Session storage key prefix: closed dashboards do not reopen when the page is reloaded in the same window. */
const STORAGE_PREFIX = "satchel.closed-dashboards.";

function readClosedDashboards(sessionId: string): Set<string> {
  const stored = sessionStorage.getItem(STORAGE_PREFIX + sessionId);
  return new Set(stored ? (JSON.parse(stored) as string[]) : []);
}

function saveClosedDashboards(sessionId: string, tabs: readonly Tab[]): void {
  if (tabs.length === 0) return;
  const closed = [...readClosedDashboards(sessionId), ...tabs.map(({ key }) => key)];
  sessionStorage.setItem(STORAGE_PREFIX + sessionId, JSON.stringify(closed));
}
