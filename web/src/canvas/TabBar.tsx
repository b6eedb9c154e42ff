import { type KeyboardEvent, useEffect, useRef } from "react";
import { texts } from "../texts";

import { Icon } from "../shared/Icon";
import { getTitle, type Tab, type TabsState } from "./tabs";

interface TabBarProps {
  tabs: TabsState;
  onSelect(key: string): void;
  onClose(key: string): void;
}

const MIDDLE_BUTTON = 1;

/** Tab list of the canvas. Arrows, Home and End select a tab; Delete, its cross and the middle mouse button close it. */
export function TabBar({ tabs, onSelect, onClose }: TabBarProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [tabs.active]);
  const onKeyDown = (event: KeyboardEvent) => {
    const activeIndex = tabs.tabs.findIndex((tab) => tab.key === tabs.active);
    const next = tabs.tabs[getTargetIndex(event.key, activeIndex, tabs.tabs.length)];
    if (event.key === "Delete" && tabs.active) onClose(tabs.active);
    if (!next) return;
    event.preventDefault();
    onSelect(next.key);
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(getTabId(next))}`)?.focus();
  };
  return (
    <div className="canvas-tabs" role="tablist" aria-label={texts.canvas.tabs} ref={list} onKeyDown={onKeyDown}>
      {tabs.tabs.map((tab) => (
        <button
          key={tab.key}
          id={getTabId(tab)}
          type="button"
          role="tab"
          aria-selected={tab.key === tabs.active}
          aria-controls={getPanelId(tab)}
          tabIndex={tab.key === tabs.active ? 0 : -1}
          aria-keyshortcuts="Delete"
          title={getTitle(tab, tabs)}
          onClick={(event) => (isCross(event.target) ? onClose(tab.key) : onSelect(tab.key))}
          onAuxClick={({ button }) => button === MIDDLE_BUTTON && onClose(tab.key)}
        >
          <span className="tab-title">{getTitle(tab, tabs)}</span>
          <Icon name="close" />
        </button>
      ))}
    </div>
  );
}

/** A tab must not contain another control, so its cross is a part of the tab for pointers. The key for it is Delete. */
function isCross(target: EventTarget): boolean {
  return target instanceof Element && target.closest("svg") !== null;
}

export function getTabId(tab: Tab): string {
  return `tab-${tab.key}`;
}

export function getPanelId(tab: Tab): string {
  return `panel-${tab.key}`;
}

/** Return the index of the tab that a key selects; -1 for other keys. */
function getTargetIndex(key: string, activeIndex: number, count: number): number {
  switch (key) {
    case "ArrowRight":
      return (activeIndex + 1) % count;
    case "ArrowLeft":
      return (activeIndex - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return -1;
  }
}
