import { useEffect, useRef } from "react";

import { useFocusBack } from "../shared/focus";
import "./canvas.css";
import type { CanvasProps } from "./feed";
import { Panes } from "./Panes";
import { TabBar } from "./TabBar";
import { closed, isSplit, joined, selected, split } from "./tabs";
import { useTabs } from "./useTabs";

/** Where one goes on after the canvas was closed that opened by itself. */
const ELSE = "[aria-controls=canvas], .composer textarea";

/** What tools made, shown beside the chat. It is there as long as a session is, open or not. */
export default function Canvas(props: CanvasProps) {
  const { open, setOpen } = props;
  const { tabs, setTabs, wanted } = useTabs(props);
  const before = useRef<Element | null>(null);
  const canvas = useRef<HTMLElement>(null);
  useEffect(() => {
    // Who pressed a button goes on from what it opened, and comes back to the button.
    if (wanted === 0) return;
    before.current = document.activeElement;
    canvas.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
  }, [wanted]);
  useFocusBack(open, canvas, () => {
    const from = before.current;
    before.current = null;
    return from?.checkVisibility() ? from : document.querySelector(ELSE);
  });
  const closeTab = (key: string) => {
    const next = closed(tabs, key);
    setTabs(next);
    if (next.tabs.length === 0) setOpen(false);
  };
  return (
    <section className="canvas" id="canvas" aria-label="Canvas" hidden={!open} ref={canvas}>
      <div className="canvas-top">
        <TabBar tabs={tabs} onSelect={(key) => setTabs(selected(tabs, key))} onClose={closeTab} />
        {tabs.tabs.length > 1 && (
          <button
            type="button"
            aria-pressed={isSplit(tabs)}
            onClick={() => setTabs(isSplit(tabs) ? joined(tabs) : split(tabs))}
          >
            Side by side
          </button>
        )}
        <button type="button" onClick={() => setOpen(false)}>
          Close canvas
        </button>
      </div>
      <Panes tabs={tabs} open={open} onClose={closeTab} />
    </section>
  );
}
