import { type KeyboardEvent, useId, useRef, useState } from "react";
import { Icon, type IconName } from "./Icon";
import "./menu.css";

export interface MenuItem {
  label: string;
  icon: IconName;
  /** Whether it deletes something. */
  isDanger?: boolean;
  choose(): void;
}

interface MenuProps {
  label: string;
  items: readonly MenuItem[];
}

/** Button that opens a menu. The browser shows it above everything, and closes it on Escape and on a press elsewhere. */
export function Menu({ label, items }: MenuProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const moveFocus = (event: KeyboardEvent<HTMLDivElement>): void => {
    const buttons = [...event.currentTarget.querySelectorAll("button")];
    const position = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowDown: position + 1, ArrowUp: position - 1, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    buttons.at(next % buttons.length)?.focus();
  };
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className="plain menu-trigger"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popoverTarget={id}
      >
        <Icon name="more" />
      </button>
      <div
        ref={menu}
        id={id}
        className="menu"
        role="menu"
        aria-label={label}
        popover="auto"
        onKeyDown={moveFocus}
        onBeforeToggle={({ newState }) => {
          if (newState === "open") placeBelow(menu.current, trigger.current);
        }}
        onToggle={({ newState }) => {
          setOpen(newState === "open");
          if (newState === "open") menu.current?.querySelector("button")?.focus();
        }}
      >
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            className={item.isDanger ? "plain danger" : "plain"}
            onClick={() => {
              menu.current?.hidePopover();
              trigger.current?.focus(); // where a dialog that the item opens returns the focus
              item.choose();
            }}
          >
            <Icon name={item.icon} /> {item.label}
          </button>
        ))}
      </div>
    </>
  );
}

/** Place the menu below its button, or above if the button is in the lower half of the page. */
function placeBelow(menu: HTMLElement | null, trigger: HTMLElement | null): void {
  if (menu === null || trigger === null) return;
  const { top, bottom, left } = trigger.getBoundingClientRect();
  const isLow = bottom > innerHeight / 2;
  menu.style.top = isLow ? "auto" : `${bottom + 4}px`;
  menu.style.bottom = isLow ? `${innerHeight - top + 4}px` : "auto";
  menu.style.left = `min(${left}px, 100vw - var(--menu-width) - 8px)`;
}
