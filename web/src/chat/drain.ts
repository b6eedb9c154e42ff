/** Spreads text that arrives in lumps evenly over time. Pure. */

export interface Drain {
  /** Number of characters that are shown; not a whole number, since a frame may add a part of one. */
  shown: number;
  /** Number of characters that have arrived. */
  length: number;
  /** Mean milliseconds between two lumps. */
  gap: number;
  /** When the last lump arrived. */
  arrivedAt: number;
}

const FIRST_GAP_MS = 250;
const MAX_GAP_MS = 1_000;
/** Weight of the last gap in the mean. */
const WEIGHT = 0.3;
/** The time in which what is not shown yet falls to 37 %, in gaps. It never runs out between lumps, even if one is very late. */
const SLACK = 1.5;
/** The beginning and the end of a text do not come slower than this: a character in at most three frames. */
const MIN_CHARACTERS_PER_MS = 1 / 45;
/** A text of at most so many characters has just begun. It is shown slowly until the next lump arrives. */
const MAX_FIRST_LUMP = 40;

/** Return the state for a text that is shown from its beginning to `length` at once. */
export function startDrain(length: number, now: number): Drain {
  return { shown: length, length, gap: FIRST_GAP_MS, arrivedAt: now };
}

/** Return the state for a text that streams: a short one has begun just now, and of a longer one everything is shown. */
export function openDrain(length: number, now: number): Drain {
  return { ...startDrain(length, now), shown: length > MAX_FIRST_LUMP ? length : 0 };
}

/** Return the state after the text has grown to `length`. */
export function growDrain(drain: Drain, length: number, now: number): Drain {
  const gap = drain.gap + WEIGHT * (Math.min(now - drain.arrivedAt, MAX_GAP_MS) - drain.gap);
  return { ...drain, length, gap, arrivedAt: now };
}

/** Return the state after some milliseconds: the less text is left, the slower it comes. */
export function advanceDrain(drain: Drain, milliseconds: number): Drain {
  const share = 1 - Math.exp(-milliseconds / (drain.gap * SLACK));
  const added = Math.max((drain.length - drain.shown) * share, milliseconds * MIN_CHARACTERS_PER_MS);
  return { ...drain, shown: Math.min(drain.length, drain.shown + added) };
}

const FRAME_MS = 16;
export const MAX_INTERVAL_MS = 200;
/** Rendering takes longer for longer texts: a millisecond for about as many characters. */
const CHARACTERS_PER_MS = 1_000;

/** Return the milliseconds between two changes of a text, so that rendering takes a small part of the time. */
export function changeInterval(length: number): number {
  return Math.min(MAX_INTERVAL_MS, Math.max(FRAME_MS, length / CHARACTERS_PER_MS));
}

/**
 * Return the first characters of a text, and the spaces behind them with one character more: a space alone shows no change.
 * A character of two code units is not cut in half.
 */
export function takeCharacters(text: string, count: number): string {
  let end = Math.floor(count);
  if (/\s/.test(text.charAt(end - 1))) end += (/^\s*\S?/.exec(text.slice(end))?.[0] ?? "").length;
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return text.slice(0, isHalf ? end - 1 : end);
}
