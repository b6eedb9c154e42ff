import { useEffect, useRef } from "react";

import { useFocusReturn } from "../shared/focus";
import "./canvas.css";
import { Panes } from "./Panes";
import { TabBar } from "./TabBar";
import { closeTab, isSplit, selectTab, splitView, unsplitView } from "./tabs";
import type { CanvasProps } from "./types";
import { useTabs } from "./useTabs";

/** Receives the focus after closing a canvas that opened by itself. */
const FALLBACK_FOCUS = "[aria-controls=canvas], .composer textarea";

/** Panel beside the chat for files and dashboards from tools. Stays mounted while closed. */
export default function Canvas(props: CanvasProps) {
  const { open, setOpen } = props;
  const { tabs, setTabs, userOpens } = useTabs(props);
  const openedFrom = useRef<Element | null>(null);
  const canvas = useRef<HTMLElement>(null);
  useEffect(() => {
    // Move the focus to what the user opened; it returns to the button on closing.
    if (userOpens === 0) return;
    openedFrom.current = document.activeElement;
    canvas.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
  }, [userOpens]);
  useFocusReturn(open, canvas, () => {
    const element = openedFrom.current;
    openedFrom.current = null;
    return element?.checkVisibility() ? element : document.querySelector(FALLBACK_FOCUS);
  });
  const close = (key: string) => {
    const next = closeTab(tabs, key);
    setTabs(next);
    if (next.tabs.length === 0) setOpen(false);
  };
  return (
    <section className="canvas" id="canvas" aria-label="Canvas" hidden={!open} ref={canvas}>
      <div className="canvas-top">
        <TabBar tabs={tabs} onSelect={(key) => setTabs(selectTab(tabs, key))} onClose={close} />
        {tabs.tabs.length > 1 && (
          <button
            type="button"
            aria-pressed={isSplit(tabs)}
            onClick={() => setTabs(isSplit(tabs) ? unsplitView(tabs) : splitView(tabs))}
          >
            Side by side
          </button>
        )}
        <button type="button" onClick={() => setOpen(false)}>
          Close canvas
        </button>
      </div>
      <Panes tabs={tabs} open={open} onClose={close} />
    </section>
  );
}
