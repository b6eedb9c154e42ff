/** Decides whether a box keeps its end in view. Pure. */

export interface ScrollState {
  top: number;
  height: number;
  clientHeight: number;
  /** Whether new content scrolls into view. */
  isPinned: boolean;
}

interface Box {
  scrollTop: number;
  scrollHeight: number;
  clientHeight: number;
}

export const AT_END: ScrollState = { top: 0, height: 0, clientHeight: 0, isPinned: true };

const PIN_DISTANCE = 120; // pixels from the end at which scrolling down pins the box again

/**
 * Return the scroll state after the box scrolled or changed its size.
 *
 * Only the user unpins the box, by scrolling up. If the box or its content changes its size, the browser may move
 * `scrollTop` by itself: such a move is the user's only if `byUser` (a wheel, a key, a finger or the scroll bar) says so.
 * A scroll down to near the end pins the box again. A box whose content fits is always pinned.
 */
export function nextScrollState(previous: ScrollState, box: Box, byUser: boolean): ScrollState {
  const { scrollTop: top, scrollHeight: height, clientHeight } = box;
  const distanceToEnd = height - top - clientHeight;
  const hasSameSize = height === previous.height && clientHeight === previous.clientHeight;
  const next = { top, height, clientHeight };
  if (distanceToEnd < 1) return { ...next, isPinned: true };
  if (top < previous.top && (byUser || hasSameSize)) return { ...next, isPinned: false };
  const isBackAtEnd = top > previous.top && distanceToEnd < PIN_DISTANCE;
  return { ...next, isPinned: previous.isPinned || isBackAtEnd };
}
