import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useMemo, useState } from "react";

import { api, unwrap } from "../api/client";
import "./files.css";
import { completeMention, findMention, matchNames } from "./mentions";

export interface MentionCompletion {
  /** List of matching file names, or null if there is nothing to complete. */
  list: ReactNode;
  /** Handles arrows, Enter, Tab and Escape for the list. Returns true if the composer must ignore the key. */
  onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): boolean;
  /** ARIA attributes for the text area, such as aria-controls and aria-activedescendant. */
  aria: Record<string, string | undefined>;
}

const MAX_OPTIONS = 8;

/** Completes file names while the user types `@…`. `setText` receives the whole text and the new caret. */
export function useMention(
  area: RefObject<HTMLTextAreaElement | null>,
  text: string,
  setText: (text: string, caret: number) => void,
  sessionId: string | null,
): MentionCompletion {
  const id = useId();
  const [dismissedText, setDismissedText] = useState<string | null>(null);
  const [activeIndex, setActiveIndex] = useState(0);
  const caret = area.current?.selectionStart ?? text.length;
  const mention = findMention(text, Math.min(caret, text.length));
  const query = mention?.query ?? null;
  const names = useFileNames(query, sessionId);
  const options = useMemo(() => (query === null ? [] : matchNames(names, query, MAX_OPTIONS)), [names, query]);
  useEffect(() => setActiveIndex(0), [query]);
  const isOpen = mention !== null && options.length > 0 && dismissedText !== text;
  const choose = (name: string) => {
    if (mention) setText(...completeMention(text, mention, caret, name));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (!isOpen || event.nativeEvent.isComposing) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setActiveIndex((activeIndex + step + options.length) % options.length);
    else if (event.key === "Escape") setDismissedText(text);
    else if (event.key === "Enter" || event.key === "Tab") choose(options[activeIndex] ?? options[0] ?? "");
    else return false;
    event.preventDefault();
    return true;
  };
  const list = isOpen ? (
    <ul className="mentions" id={id} role="listbox" aria-label="Your files">
      {options.map((name, index) => (
        <li
          key={name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === activeIndex}
          // On pointerdown, not click: the text area must not lose the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            choose(name);
          }}
        >
          {name}
        </li>
      ))}
    </ul>
  ) : null;
  const aria = isOpen
    ? { "aria-controls": id, "aria-activedescendant": `${id}-${activeIndex}`, "aria-autocomplete": "list" }
    : { "aria-autocomplete": "list" };
  return { list, onKeyDown, aria };
}

/** Return the names of the user's newest files, followed by those that start with the query. */
function useFileNames(query: string | null, sessionId: string | null): string[] {
  const [newest, setNewest] = useState<string[]>([]);
  const [matching, setMatching] = useState<string[]>([]);
  const isActive = query !== null;
  useEffect(() => {
    if (isActive) return onLoaded(fetchNames({ limit: 100 }), setNewest);
  }, [isActive, sessionId]);
  useEffect(() => {
    if (query) return onLoaded(fetchNames({ limit: 20, name_prefix: query }), setMatching);
  }, [query]);
  return useMemo(() => [...newest, ...matching], [newest, matching]);
}

async function fetchNames(query: { limit: number; name_prefix?: string }): Promise<string[]> {
  const page = await unwrap(api.GET("/api/files", { params: { query } }));
  return page.files.map((file) => file.name);
}

/** Pass names on when they arrive, and ignore errors: without completion the user can still type. Return a cancel function. */
function onLoaded(names: Promise<string[]>, setNames: (names: string[]) => void): () => void {
  let cancelled = false;
  names.then(
    (loaded) => cancelled || setNames(loaded),
    () => undefined,
  );
  return () => {
    cancelled = true;
  };
}
