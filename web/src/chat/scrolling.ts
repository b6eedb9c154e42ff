/** Whether the end of what grows is to be kept in view. */

export interface Scrolling {
  top: number;
  followsEnd: boolean;
}

interface Box {
  scrollTop: number;
  scrollHeight: number;
  clientHeight: number;
}

const NEAR_END = 120; // pixels above the end at which one who scrolls down has come to it

/**
 * Who scrolls up, however little, wants to read there, and who comes back to the end wants to follow it again. A box that
 * is made higher, or has less in it, moves up without anybody's doing: then the end is in view. Of what fits whole, as a
 * session that is just opened, it is anyway.
 */
export function scrolled(was: Scrolling, { scrollTop: top, scrollHeight, clientHeight }: Box): Scrolling {
  if (scrollHeight <= clientHeight) return { top, followsEnd: true };
  const below = scrollHeight - top - clientHeight;
  if (top < was.top) return { top, followsEnd: was.followsEnd && below < 1 };
  return { top, followsEnd: was.followsEnd || (top > was.top && below < NEAR_END) };
}
