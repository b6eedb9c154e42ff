/** Who works by keyboard goes on where he was: the focus does not get lost with what had it. */
import { type RefObject, useLayoutEffect, useRef } from "react";

const FOCUSABLE = "a[href], button, input, select, textarea, summary, iframe, audio, video, [tabindex]";

/**
 * When what has the focus is taken from the page (a file is deleted, a question answered), give it to what came in its
 * place, else to what stands next. Without this, browsers begin at the top of the page again.
 */
export function keepFocus(): void {
  let last: Element | null = null;
  addEventListener("focusin", ({ target }) => {
    last = target instanceof Element ? target : null;
  });
  // Who points elsewhere has let go of it.
  addEventListener("pointerdown", () => (last = null), { capture: true });
  new MutationObserver((records) => {
    if (last === null || last.isConnected || document.activeElement !== document.body) return;
    heirOf(last, records)?.focus();
  }).observe(document.body, { childList: true, subtree: true });
}

function heirOf(gone: Element, records: readonly MutationRecord[]): HTMLElement | null {
  const removal = records.find(
    ({ target, removedNodes }) => target.isConnected && [...removedNodes].some((node) => node.contains(gone)),
  );
  if (!removal) return null;
  const { target, nextSibling } = removal;
  const added = records.filter((record) => record.target === target).flatMap((record) => [...record.addedNodes]);
  let place = added.find((node) => node.isConnected) ?? nextSibling;
  for (let around: Node | null = target; around instanceof Element; around = around.parentElement) {
    const near = focusableIn(around);
    const heir = near.find((element) => place?.isConnected && isFollowed(place, element)) ?? near.at(-1);
    if (heir) return heir;
    place = around;
  }
  return null;
}

/** Tell whether an element comes after a place, or is in it. */
function isFollowed(place: Node, by: Element): boolean {
  return place === by || (place.compareDocumentPosition(by) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

function focusableIn(element: Element): HTMLElement[] {
  const all = [...element.querySelectorAll<HTMLElement>(FOCUSABLE)];
  return all.filter((one) => one.tabIndex >= 0 && !one.matches(":disabled") && one.checkVisibility());
}

/** Give the focus back when something closes that has it: hidden, it would be lost. */
export function useFocusBack(open: boolean, inside: RefObject<HTMLElement | null>, to: () => Element | null): void {
  const wasOpen = useRef(open);
  useLayoutEffect(() => {
    const closes = wasOpen.current && !open;
    wasOpen.current = open;
    const has = document.activeElement;
    if (!closes || (has !== document.body && !inside.current?.contains(has))) return;
    const heir = to();
    if (heir instanceof HTMLElement) heir.focus();
  }, [open]);
}
