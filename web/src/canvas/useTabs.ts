import { useCallback, useEffect, useRef, useState } from "react";

import { toast } from "../shared/toasts";
import type { Asked, CanvasProps, Made } from "./feed";
import { itemOfFile, itemOfTurn } from "./item";
import { openingOf } from "./opening";
import { onShowFile } from "./show";
import { closedDashboards, rememberClosed } from "./stored";
import { dashboardTab, fileTab, left, NO_TABS, opened, restored, type Tab, type Tabs } from "./tabs";

interface TabsInUse {
  tabs: Tabs;
  setTabs(tabs: Tabs): void;
  /** Rises when a person, and not a tool, has opened something. */
  wanted: number;
}

/** The canvas's tabs: opened by what tools make, by a file's button, by My Files. */
export function useTabs({ sessionId, made, asked, setOpen }: CanvasProps): TabsInUse {
  const [tabs, setTabs] = useState<Tabs>(NO_TABS);
  const [wanted, setWanted] = useState(0);
  const session = useRef(sessionId);
  const latest = useRef(tabs);
  latest.current = tabs;
  const seen = useRef(new Set<string>());

  useEffect(() => {
    if (session.current !== sessionId) {
      const begins = session.current === ""; // what was opened before the first message stays
      session.current = sessionId;
      seen.current = new Set();
      const stay = begins ? latest.current : left(latest.current);
      setTabs(stay);
      if (stay.tabs.length === 0) setOpen(false);
    }
    for (const one of made.filter(({ id }) => !seen.current.has(id))) {
      seen.current.add(one.id);
      const { tabs: came, mode } = openingOf(sessionId, one);
      if (!one.live) {
        const closed = closedDashboards(sessionId);
        const stay = came.filter((tab) => isKept(tab) && !closed.has(tab.key));
        setTabs((before) => restored(before, stay));
      } else if (came.length > 0) {
        setTabs((before) => opened(before, came, mode));
        setOpen(true);
      }
    }
  }, [sessionId, made, setOpen]);

  const show = useCallback(
    (tab: Tab) => {
      setTabs((before) => opened(before, [tab], "append"));
      setOpen(true);
      setWanted((count) => count + 1);
    },
    [setOpen],
  );

  useEffect(() => {
    const tab = asked && tabOf(sessionId, made, asked);
    if (tab) show(tab);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- each press once, whatever else changes
  }, [asked]);

  useEffect(() => onShowFile((file) => show(fileTab(itemOfFile(file)))), [show]);

  const change = (next: Tabs) => {
    const gone = tabs.tabs.filter((tab) => !next.tabs.includes(tab) && tab.kind === "dashboard");
    rememberClosed(sessionId, gone);
    setTabs(next);
  };
  return { tabs, setTabs: change, wanted };
}

function isKept(tab: Tab): boolean {
  return tab.kind === "dashboard" && tab.dashboard.persistence !== "ephemeral";
}

/** Return what a file's button opens, in the version that its turn made. */
function tabOf(sessionId: string, made: readonly Made[], { turnId, fileKey }: Asked): Tab | null {
  const turn = made.filter((one) => one.turnId === turnId);
  const file = turn.flatMap((one) => [...one.artifacts, ...one.deferred]).find((one) => one.file_key === fileKey);
  const dashboard = turn.find((one) => one.dashboard?.id === fileKey)?.dashboard;
  if (file) return fileTab(itemOfTurn(sessionId, turnId, file));
  if (dashboard) return dashboardTab(dashboard, sessionId, turnId);
  toast("This file is not there any more.", { kind: "error" });
  return null;
}
