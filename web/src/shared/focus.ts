/** Keyboard focus management: the focus moves to a nearby element when its element disappears. */
import { type RefObject, useLayoutEffect, useRef } from "react";

const FOCUSABLE = "a[href], button, input, select, textarea, summary, iframe, audio, video, [tabindex]";

/**
 * Watch the page, and when the focused element is removed (a deleted file, an answered approval), focus its replacement
 * or else the next element. Otherwise browsers restart Tab order at the top of the page.
 */
export function restoreLostFocus(): void {
  let last: Element | null = null;
  addEventListener("focusin", ({ target }) => {
    last = target instanceof Element ? target : null;
  });
  // A pointer press elsewhere gives up the focus on purpose.
  addEventListener("pointerdown", () => (last = null), { capture: true });
  new MutationObserver((records) => {
    if (last === null || last.isConnected || document.activeElement !== document.body) return;
    findSuccessor(last, records)?.focus();
  }).observe(document.body, { childList: true, subtree: true });
}

function findSuccessor(removed: Element, records: readonly MutationRecord[]): HTMLElement | null {
  const removal = records.find(
    ({ target, removedNodes }) => target.isConnected && [...removedNodes].some((node) => node.contains(removed)),
  );
  if (!removal) return null;
  const { target, nextSibling } = removal;
  const added = records.filter((record) => record.target === target).flatMap((record) => [...record.addedNodes]);
  let position = added.find((node) => node.isConnected) ?? nextSibling;
  for (let ancestor: Node | null = target; ancestor instanceof Element; ancestor = ancestor.parentElement) {
    const candidates = focusableIn(ancestor);
    const next = candidates.find((element) => position?.isConnected && isAtOrAfter(element, position));
    const successor = next ?? candidates.at(-1);
    if (successor) return successor;
    position = ancestor;
  }
  return null;
}

/** Return true if the element is at the position, inside it or after it in the document. */
function isAtOrAfter(element: Element, position: Node): boolean {
  return position === element || (position.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

function focusableIn(element: Element): HTMLElement[] {
  const all = [...element.querySelectorAll<HTMLElement>(FOCUSABLE)];
  return all.filter((one) => one.tabIndex >= 0 && !one.matches(":disabled") && one.checkVisibility());
}

/**
 * When a panel that has the focus closes, focus the element that `getTarget` returns.
 * A hidden element loses the focus without a replacement.
 */
export function useFocusReturn(open: boolean, panel: RefObject<HTMLElement | null>, getTarget: () => Element | null): void {
  const wasOpen = useRef(open);
  useLayoutEffect(() => {
    const isClosing = wasOpen.current && !open;
    wasOpen.current = open;
    const focused = document.activeElement;
    if (!isClosing || (focused !== document.body && !panel.current?.contains(focused))) return;
    const target = getTarget();
    if (target instanceof HTMLElement) target.focus();
  }, [open]);
}
