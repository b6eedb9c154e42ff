import { type KeyboardEvent, useEffect, useRef } from "react";

import { type Tab, type Tabs, titleOf } from "./tabs";

interface TabBarProps {
  tabs: Tabs;
  onSelect(key: string): void;
  onClose(key: string): void;
}

/** One tab for each thing that is open; arrows go from one to the next, Delete closes. */
export function TabBar({ tabs, onSelect, onClose }: TabBarProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [tabs.active]);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.tabs.findIndex((tab) => tab.key === tabs.active);
    const next = tabs.tabs[placeBy(event.key, at, tabs.tabs.length)];
    if (event.key === "Delete" && tabs.active) onClose(tabs.active);
    if (!next) return;
    event.preventDefault();
    onSelect(next.key);
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(tabId(next))}`)?.focus();
  };
  return (
    <div className="canvas-tabs" role="tablist" aria-label="Open files" ref={list} onKeyDown={onKeyDown}>
      {tabs.tabs.map((tab) => (
        <button
          key={tab.key}
          id={tabId(tab)}
          type="button"
          role="tab"
          aria-selected={tab.key === tabs.active}
          aria-controls={panelId(tab)}
          tabIndex={tab.key === tabs.active ? 0 : -1}
          title={titleOf(tab)}
          onClick={() => onSelect(tab.key)}
        >
          {titleOf(tab)}
        </button>
      ))}
    </div>
  );
}

export function tabId(tab: Tab): string {
  return `tab-${tab.key}`;
}

export function panelId(tab: Tab): string {
  return `panel-${tab.key}`;
}

function placeBy(key: string, at: number, count: number): number {
  switch (key) {
    case "ArrowRight":
      return (at + 1) % count;
    case "ArrowLeft":
      return (at - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return -1;
  }
}
