import { useEffect, useRef } from "react";

import "./canvas.css";
import type { CanvasProps } from "./feed";
import { Panes } from "./Panes";
import { TabBar } from "./TabBar";
import { closed, isSplit, joined, selected, split } from "./tabs";
import { useTabs } from "./useTabs";

/** What tools made, shown beside the chat. It is there as long as a session is, open or not. */
export default function Canvas(props: CanvasProps) {
  const { open, setOpen } = props;
  const [tabs, setTabs] = useTabs(props);
  const before = useRef<Element | null>(null);
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Who pressed a button goes on from what it opened, and comes back to the button.
    if (!props.asked) return;
    before.current = document.activeElement;
    bar.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
  }, [props.asked]);
  const close = () => {
    setOpen(false);
    if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus();
  };
  const closeTab = (key: string) => {
    const next = closed(tabs, key);
    setTabs(next);
    if (next.tabs.length === 0) close();
  };
  return (
    <section className="canvas" aria-label="Canvas" hidden={!open}>
      <div className="canvas-top" ref={bar}>
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
        <button type="button" onClick={close}>
          Close canvas
        </button>
      </div>
      <Panes tabs={tabs} open={open} onClose={closeTab} />
    </section>
  );
}
