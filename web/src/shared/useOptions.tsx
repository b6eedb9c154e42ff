import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from "react";
import "./options.css";

export interface Option {
  key: string;
  label: string;
  /** Text after the label, such as a description. */
  detail?: string | undefined;
  choose(): void;
}

export interface Options {
  /** The list, or null if there is nothing to choose. */
  list: ReactNode;
  /** Handles arrows, Enter, Tab and Escape for the list. Returns true if the text area must ignore the key. */
  onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): boolean;
  /** ARIA attributes for the text area while the list is open. */
  aria: Record<string, string>;
}

/** A list above a text area, from which the user chooses while typing `query`; null closes it. */
export function useOptions(label: string, query: string | null, options: readonly Option[]): Options {
  const id = useId();
  const [dismissed, setDismissed] = useState<string | null>(null);
  /** Not the index, because more options may arrive while the list is open. */
  const [activeKey, setActiveKey] = useState<string | null>(null);
  const activeIndex = Math.max(
    0,
    options.findIndex(({ key }) => key === activeKey),
  );
  useEffect(() => {
    setActiveKey(null);
    setDismissed(null);
  }, [query]);
  if (query === null || options.length === 0 || dismissed === query) return { list: null, onKeyDown: () => false, aria: {} };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (event.nativeEvent.isComposing) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setActiveKey(options[(activeIndex + step + options.length) % options.length]?.key ?? null);
    else if (event.key === "Escape") setDismissed(query);
    else if (event.key === "Enter" || event.key === "Tab") options[activeIndex]?.choose();
    else return false;
    event.preventDefault();
    return true;
  };
  const list = (
    // A list that scrolls must be in the tab order; Tab chooses an option before it gets there.
    <ul className="options" id={id} role="listbox" aria-label={label} tabIndex={0}>
      {options.map((option, index) => (
        <li
          key={option.key}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === activeIndex}
          // On pointerdown, not click: the text area must not lose the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            option.choose();
          }}
          ref={(element) => {
            if (index === activeIndex) element?.scrollIntoView({ block: "nearest" });
          }}
        >
          <span className="label">{option.label}</span>
          {option.detail && <span className="detail"> {option.detail}</span>}
        </li>
      ))}
    </ul>
  );
  return { list, onKeyDown, aria: { "aria-controls": id, "aria-activedescendant": `${id}-${activeIndex}` } };
}
