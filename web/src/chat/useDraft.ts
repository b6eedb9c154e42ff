import { useCallback, useEffect, useRef, useState } from "react";
import { formatMention } from "../files/mentions";

const STORAGE_KEY = "satchel.drafts";

export interface Draft {
  draft: string;
  setDraft(text: string): void;
  /** Set the text of a chat (null: of the new one) only if the user has not written another one there. */
  restoreDraft(sessionId: string | null, text: string): void;
  /** Append `@name` to the draft. */
  mentionFile(name: string): void;
  /** Move the draft of a new chat to its session. */
  moveDraft(sessionId: string): void;
}

/** The text that the user is writing, one for each chat. It outlives a reload of the tab, but not the tab. */
export function useDraft(sessionId: string | null): Draft {
  const [drafts, setDrafts] = useState(readDrafts);
  const key = sessionId ?? "";
  const latestKey = useRef(key);
  latestKey.current = key;
  useEffect(() => sessionStorage.setItem(STORAGE_KEY, JSON.stringify(drafts)), [drafts]);
  const change = useCallback((edit: (before: string) => string): void => {
    setDrafts((before) => withText(before, latestKey.current, edit(before[latestKey.current] ?? "")));
  }, []);
  return {
    draft: drafts[key] ?? "",
    setDraft: useCallback((text: string) => change(() => text), [change]),
    restoreDraft: (to, text) => setDrafts((before) => withText(before, to ?? "", before[to ?? ""] || text)),
    mentionFile: (name) => change((before) => `${before}${before && !/\s$/.test(before) ? " " : ""}${formatMention(name)} `),
    moveDraft: (to) => setDrafts((before) => withText(withText(before, to, before[""] ?? ""), "", "")),
  };
}

type Drafts = Readonly<Record<string, string>>;

/** Return the drafts with one changed; empty ones are not stored. */
function withText(drafts: Drafts, key: string, text: string): Drafts {
  const rest = Object.fromEntries(Object.entries(drafts).filter(([name]) => name !== key));
  return text ? { ...rest, [key]: text } : rest;
}

function readDrafts(): Drafts {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "{}") as Drafts;
  } catch {
    return {};
  }
}
