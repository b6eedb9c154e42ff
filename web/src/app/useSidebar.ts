/**
 * Whether the sidebar is shown: on a narrow screen it covers the chat, on a wide screen the user can hide it. On a screen
 * between the two, an open canvas takes its place, until the user shows it again.
 */
import { useCallback, useEffect, useState } from "react";

const STORAGE_KEY = "satchel.sidebar";
/** Too narrow for the sidebar, the chat and the canvas side by side. The style sheets name the same widths. */
const MEDIUM = "(min-width: 761px) and (max-width: 1000px)";

export interface SidebarState {
  /** Whether it covers the chat on a narrow screen. */
  isOpen: boolean;
  /** Whether it is hidden on a wide screen. */
  isHidden: boolean;
  /** Whether the user shows it in the place of the chat, which an open canvas leaves no room for. */
  isKept: boolean;
  /** Whether the user has hidden or shown it since the page was loaded. */
  wasToggled: boolean;
  open(): void;
  close(): void;
  /** Hide or show it on a wide screen. This is stored in the browser. */
  toggle(): void;
}

export function useSidebar(canvasOpen: boolean): SidebarState {
  const [isOpen, setOpen] = useState(false);
  const [isHidden, setHidden] = useState(() => localStorage.getItem(STORAGE_KEY) === "hidden");
  const [isKept, setKept] = useState(false);
  const [wasToggled, setToggled] = useState(false);
  useEffect(() => setKept(false), [canvasOpen]);
  return {
    isOpen,
    isHidden,
    isKept,
    wasToggled,
    open: useCallback(() => setOpen(true), []),
    close: useCallback(() => setOpen(false), []),
    toggle: () => {
      setToggled(true);
      if (canvasOpen && !isHidden && matchMedia(MEDIUM).matches) {
        setKept(!isKept);
        return;
      }
      localStorage.setItem(STORAGE_KEY, isHidden ? "shown" : "hidden");
      setHidden(!isHidden);
    },
  };
}
