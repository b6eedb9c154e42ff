/** Auto-scroll of the conversation: keep the newest text visible until the user scrolls up. */

export interface ScrollState {
  top: number;
  /** Whether new content scrolls the box to its end. */
  isPinned: boolean;
}

interface Box {
  scrollTop: number;
  scrollHeight: number;
  clientHeight: number;
}

const PIN_DISTANCE = 120; // pixels from the end at which scrolling down pins the box again

/**
 * Return the scroll state after the box scrolled or changed its size.
 *
 * Any scroll up by the user unpins the box; a scroll down to near the end pins it again. If the box grows or its content
 * shrinks, the browser lowers `scrollTop` by itself: then the end is visible, and the box stays pinned. A box whose
 * content fits (a session that has just opened) is always pinned.
 */
export function nextScrollState(previous: ScrollState, { scrollTop: top, scrollHeight, clientHeight }: Box): ScrollState {
  if (scrollHeight <= clientHeight) return { top, isPinned: true };
  const distanceToEnd = scrollHeight - top - clientHeight;
  if (top < previous.top) return { top, isPinned: previous.isPinned && distanceToEnd < 1 };
  return { top, isPinned: previous.isPinned || (top > previous.top && distanceToEnd < PIN_DISTANCE) };
}
