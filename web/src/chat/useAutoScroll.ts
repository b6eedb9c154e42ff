import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { AT_END, nextScrollState } from "./autoScroll";

interface AutoScroll {
  box: RefObject<HTMLDivElement | null>;
  /** Whether the end is out of view, because the user scrolled up. */
  isAway: boolean;
  scrollToEnd(): void;
  onScroll(): void;
}

const INPUT_EVENTS = ["wheel", "touchmove", "keydown", "pointerdown"] as const;
const INPUT_LASTS_MS = 500; // scrolling goes on for a while after the last movement of a wheel or a finger

/**
 * Keep the end of a box in view, unless the user scrolls up. A new `pinKey` scrolls to the end in any case. An empty
 * conversation shows its beginning.
 */
export function useAutoScroll(pinKey: unknown, isEmpty: boolean): AutoScroll {
  const box = useRef<HTMLDivElement>(null);
  const state = useRef(AT_END);
  const lastInput = useRef(-INPUT_LASTS_MS);
  const [isAway, setAway] = useState(false);
  const hasEnd = useRef(!isEmpty);
  hasEnd.current = !isEmpty;
  const read = useCallback(() => {
    if (!box.current) return;
    state.current = nextScrollState(state.current, box.current, performance.now() - lastInput.current < INPUT_LASTS_MS);
    setAway(!state.current.isPinned);
  }, []);
  const scrollToEnd = useCallback(() => {
    state.current = AT_END;
    lastInput.current = -INPUT_LASTS_MS; // what moves the box next is this scroll
    if (hasEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
    read();
  }, [read]);
  useEffect(() => {
    const element = box.current;
    const note = (): void => {
      lastInput.current = performance.now();
    };
    for (const type of INPUT_EVENTS) element?.addEventListener(type, note, { passive: true });
    // Pictures, code and formulas change the height without a render of the list.
    const observer = new ResizeObserver(() => {
      if (hasEnd.current && state.current.isPinned) element?.scrollTo({ top: element.scrollHeight });
    });
    if (element?.firstElementChild) observer.observe(element.firstElementChild);
    return () => {
      for (const type of INPUT_EVENTS) element?.removeEventListener(type, note);
      observer.disconnect();
    };
  }, []);
  useLayoutEffect(scrollToEnd, [pinKey, scrollToEnd]);
  useEffect(() => {
    read(); // the scroll event may not have fired yet
    if (hasEnd.current && state.current.isPinned) box.current?.scrollTo({ top: box.current.scrollHeight });
  });
  return { box, isAway: isAway && !isEmpty, scrollToEnd, onScroll: read };
}
