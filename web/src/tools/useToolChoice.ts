import { useState } from "react";
import { fullName } from "../chat/findOffers";
import { fetchTools } from "../chat/useCommands";
import { texts } from "../texts";

const STORAGE_KEY = "satchel.disabled-tools.";
const MAX_TOOLS = 100; // what the API accepts with a message

export interface ToolChoice {
  /** Names (`server.tool`) of the tools that are switched off in the open chat. */
  disabled: ReadonlySet<string>;
  setEnabled(names: readonly string[], isEnabled: boolean): void;
  /** Copy the choice of a new chat to its session. */
  moveTo(sessionId: string): void;
}

/** The tools that the user has switched off, one choice for each chat, stored in this browser. */
export function useToolChoice(sessionId: string | null): ToolChoice {
  const [changes, setChanges] = useState(0);
  const disabled = readDisabled(sessionId ?? "");
  return {
    disabled,
    setEnabled(names, isEnabled) {
      const others = [...disabled].filter((name) => !names.includes(name));
      store(sessionId ?? "", isEnabled ? others : [...others, ...names]);
      setChanges(changes + 1);
    },
    moveTo(id) {
      store(id, [...readDisabled("")]);
      store("", []);
    },
  };
}

/** Return the names of the tools that a message of the chat may use; null for all. Throws ApiError or Error. */
export async function allowedTools(sessionId: string): Promise<string[] | null> {
  const disabled = readDisabled(sessionId);
  if (disabled.size === 0) return null;
  const names = (await fetchTools()).map(fullName).filter((name) => !disabled.has(name));
  if (names.length > MAX_TOOLS) throw new Error(texts.tools.tooMany(MAX_TOOLS));
  return names;
}

function readDisabled(sessionId: string): ReadonlySet<string> {
  try {
    return new Set(JSON.parse(localStorage.getItem(STORAGE_KEY + sessionId) ?? "[]") as string[]);
  } catch {
    return new Set();
  }
}

function store(sessionId: string, names: readonly string[]): void {
  if (names.length > 0) localStorage.setItem(STORAGE_KEY + sessionId, JSON.stringify(names));
  else localStorage.removeItem(STORAGE_KEY + sessionId);
}
