import type { KeyboardEvent, ReactNode, RefObject } from "react";

export interface Mention {
  /** The list of names that fit what follows the `@` before the caret, or null. */
  list: ReactNode;
  /** True: the key was for the list (arrows, Enter, Tab, Escape), and the composer leaves it alone. */
  onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): boolean;
  /** Attributes for the text area: aria-controls, aria-activedescendant and the like. */
  aria: Record<string, string | undefined>;
}

/** Offers the person's files while `@…` is written. `setText` gets the whole text and where the caret goes. */
export function useMention(
  _area: RefObject<HTMLTextAreaElement | null>,
  _text: string,
  _setText: (text: string, caret: number) => void,
  _sessionId: string | null,
): Mention {
  return { list: null, onKeyDown: () => false, aria: {} };
}
