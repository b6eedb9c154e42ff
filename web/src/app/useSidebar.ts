/** Whether the sidebar is shown: on a narrow screen it covers the chat, on a wide screen the user can hide it. */
import { useCallback, useState } from "react";

const STORAGE_KEY = "satchel.sidebar";

export interface SidebarState {
  /** Whether it covers the chat on a narrow screen. */
  isOpen: boolean;
  /** Whether it is hidden on a wide screen. */
  isHidden: boolean;
  /** Whether the user has hidden or shown it since the page was loaded. */
  wasToggled: boolean;
  open(): void;
  close(): void;
  /** Hide or show it on a wide screen. This is stored in the browser. */
  toggle(): void;
}

export function useSidebar(): SidebarState {
  const [isOpen, setOpen] = useState(false);
  const [isHidden, setHidden] = useState(() => localStorage.getItem(STORAGE_KEY) === "hidden");
  const [wasToggled, setToggled] = useState(false);
  return {
    isOpen,
    isHidden,
    wasToggled,
    open: useCallback(() => setOpen(true), []),
    close: useCallback(() => setOpen(false), []),
    toggle: () => {
      localStorage.setItem(STORAGE_KEY, isHidden ? "shown" : "hidden");
      setHidden(!isHidden);
      setToggled(true);
    },
  };
}
