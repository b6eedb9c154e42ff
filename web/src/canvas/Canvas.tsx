import { useEffect, useRef, useState } from "react";
import { texts } from "../texts";

import { useFocusReturn } from "../shared/focus";
import { Icon, type IconName } from "../shared/Icon";
import "./canvas.css";
import { Panes, TabActions } from "./Panes";
import { ResizeHandle } from "./ResizeHandle";
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
  const [isFull, setIsFull] = useFullScreen(open);
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
  const leave = () => {
    setIsFull(false);
    setOpen(false);
  };
  const active = tabs.tabs.find((tab) => tab.key === tabs.active);
  return (
    <section className={`canvas${isFull ? " full" : ""}`} id="canvas" aria-label={texts.app.canvas} hidden={!open} ref={canvas}>
      <div className="canvas-bar">
        {/* Where the canvas covers the chat, this button replaces the cross. */}
        <button type="button" className="plain covering-only" onClick={leave}>
          <Icon name="back" /> {texts.canvas.back}
        </button>
        <TabBar tabs={tabs} onSelect={(key) => setTabs(selectTab(tabs, key))} onClose={close} />
        {active && !isSplit(tabs) && <TabActions key={active.key} tab={active} />}
        {tabs.tabs.length > 1 && (
          <BarButton
            icon="split"
            label={texts.canvas.sideBySide}
            className="wide-only"
            pressed={isSplit(tabs)}
            onClick={() => setTabs(isSplit(tabs) ? unsplitView(tabs) : splitView(tabs))}
          />
        )}
        <BarButton icon="expand" label={texts.canvas.fullScreen} className="wide-only" pressed={isFull} onClick={() => setIsFull(!isFull)} />
        <BarButton icon="close" label={texts.canvas.close} className="beside-only" onClick={leave} />
      </div>
      <Panes tabs={tabs} open={open} />
      {!isFull && <ResizeHandle />}
    </section>
  );
}

interface BarButtonProps {
  icon: IconName;
  label: string;
  className?: string;
  pressed?: boolean;
  onClick(): void;
}

function BarButton({ icon, label, className = "", pressed, onClick }: BarButtonProps) {
  return (
    <button
      type="button"
      className={`plain icon-button ${className}`}
      aria-label={label}
      aria-pressed={pressed}
      title={label}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

/** Return whether the canvas covers the page. Escape ends it, unless an element of the canvas uses the key. */
function useFullScreen(open: boolean): [boolean, (isFull: boolean) => void] {
  const [isFull, setIsFull] = useState(false);
  useEffect(() => {
    if (!isFull || !open) return;
    const leave = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) setIsFull(false);
    };
    addEventListener("keydown", leave);
    return () => removeEventListener("keydown", leave);
  }, [isFull, open]);
  return [isFull && open, setIsFull];
}
