/** Keyboard shortcuts of the page, and their list. On a Mac, Cmd works like Ctrl. */
import { useEffect, useRef } from "react";
import { texts } from "../texts";
import { readSendKey } from "./preferences";

export type Command = "palette" | "newChat" | "list" | "sidebar";

const KEYS: Readonly<Record<string, Command>> = {
  "ctrl+k": "palette",
  "ctrl+shift+o": "newChat",
  "ctrl+/": "list",
  "ctrl+b": "sidebar",
};

type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

/** Return the command of a key press. `Ctrl+/` counts with Shift, too: some keyboards need it for the slash. */
export function commandOf({ key, ctrlKey, metaKey, shiftKey, altKey }: Press): Command | null {
  if (altKey || !(ctrlKey || metaKey)) return null;
  const shift = shiftKey && key !== "/" ? "shift+" : "";
  return KEYS[`ctrl+${shift}${key.toLowerCase()}`] ?? null;
}

/** Run commands of the keyboard. While a dialog is open, it has the keyboard. */
export function useShortcuts(commands: Readonly<Record<Command, () => void>>): void {
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const command = commandOf(event);
      if (command === null || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      latest.current[command]();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

/** Return the keys and the effect of each shortcut. */
export function listShortcuts(): readonly [keys: string, effect: string][] {
  const { palette, newChat, list, sidebar, stop, edit, send, newLine, toast } = texts.shortcuts;
  const sendsOnEnter = readSendKey() === "enter";
  return [
    ["Ctrl K", palette],
    ["Ctrl Shift O", newChat],
    ["Ctrl /", list],
    ["Ctrl B", sidebar],
    ["Esc", stop],
    ["↑", edit],
    [sendsOnEnter ? "Enter" : "Ctrl Enter", send],
    [sendsOnEnter ? "Shift Enter" : "Enter", newLine],
    ["F8", toast],
  ];
}
