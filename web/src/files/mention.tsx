import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useMemo, useState } from "react";

import { api, ask } from "../api/client";
import "./files.css";
import { fitting, mentionAt, mentioned } from "./mentions";

export interface Mention {
  /** The list of names that fit what follows the `@` before the caret, or null. */
  list: ReactNode;
  /** True: the key was for the list (arrows, Enter, Tab, Escape), and the composer leaves it alone. */
  onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): boolean;
  /** Attributes for the text area: aria-controls, aria-activedescendant and the like. */
  aria: Record<string, string | undefined>;
}

const MOST_OFFERED = 8;

/** Offers the person's files while `@…` is written. `setText` gets the whole text and where the caret goes. */
export function useMention(
  area: RefObject<HTMLTextAreaElement | null>,
  text: string,
  setText: (text: string, caret: number) => void,
  sessionId: string | null,
): Mention {
  const id = useId();
  const [dismissed, setDismissed] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const caret = area.current?.selectionStart ?? text.length;
  const place = mentionAt(text, Math.min(caret, text.length));
  const typed = place?.typed ?? null;
  const names = useNames(typed, sessionId);
  const offered = useMemo(() => (typed === null ? [] : fitting(names, typed, MOST_OFFERED)), [names, typed]);
  useEffect(() => setAt(0), [typed]);
  const open = place !== null && offered.length > 0 && dismissed !== text;
  const take = (name: string) => {
    if (place) setText(...mentioned(text, place, caret, name));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (!open || event.nativeEvent.isComposing) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((at + step + offered.length) % offered.length);
    else if (event.key === "Escape") setDismissed(text);
    else if (event.key === "Enter" || event.key === "Tab") take(offered[at] ?? offered[0] ?? "");
    else return false;
    event.preventDefault();
    return true;
  };
  const list = open ? (
    <ul className="mentions" id={id} role="listbox" aria-label="Your files">
      {offered.map((name, place) => (
        <li
          key={name}
          id={`${id}-${place}`}
          role="option"
          aria-selected={place === at}
          // Before the text area loses the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            take(name);
          }}
        >
          {name}
        </li>
      ))}
    </ul>
  ) : null;
  const aria = open
    ? { "aria-controls": id, "aria-activedescendant": `${id}-${at}`, "aria-autocomplete": "list" }
    : { "aria-autocomplete": "list" };
  return { list, onKeyDown, aria };
}

/** The names of the person's newest files, and of those that begin with what was typed. */
function useNames(typed: string | null, sessionId: string | null): string[] {
  const [newest, setNewest] = useState<string[]>([]);
  const [beginning, setBeginning] = useState<string[]>([]);
  const asked = typed !== null;
  useEffect(() => {
    if (asked) return whenFound(namesOf({ limit: 100 }), setNewest);
  }, [asked, sessionId]);
  useEffect(() => {
    if (typed) return whenFound(namesOf({ limit: 20, name_prefix: typed }), setBeginning);
  }, [typed]);
  return useMemo(() => [...newest, ...beginning], [newest, beginning]);
}

async function namesOf(query: { limit: number; name_prefix?: string }): Promise<string[]> {
  const page = await ask(api.GET("/api/files", { params: { query } }));
  return page.files.map((file) => file.name);
}

/** Without a connection nothing is offered; the message can be written all the same. */
function whenFound(names: Promise<string[]>, take: (names: string[]) => void): () => void {
  let wanted = true;
  names.then(
    (found) => wanted && take(found),
    () => undefined,
  );
  return () => {
    wanted = false;
  };
}
