import { describe, expect, it } from "vitest";

import { advanceDrain, changeInterval, type Drain, growDrain, openDrain, startDrain, takeCharacters } from "./drain";

const FRAME = 16;
/** Number of lumps after which their rhythm is known. */
const KNOWN_AFTER = 10;

/** Let lumps of 30 characters arrive after these gaps. Return the longest time without a new character, after the first lumps. */
function longestPause(gaps: readonly number[]): number {
  let drain: Drain = startDrain(30, 0);
  let [now, changedAt, longest] = [0, 0, 0];
  for (const [index, gap] of gaps.entries()) {
    for (const end = now + gap; now < end; now += FRAME) {
      const next = advanceDrain(drain, FRAME);
      if (Math.floor(next.shown) > Math.floor(drain.shown)) {
        if (index > KNOWN_AFTER) longest = Math.max(longest, now - changedAt);
        changedAt = now;
      }
      drain = next;
    }
    drain = growDrain(drain, drain.length + 30, now);
  }
  return longest;
}

describe("a drain", () => {
  it.each([
    ["regular lumps", [250]],
    ["lumps with a third more or less time between them", [200, 300]],
    ["lumps twice as far apart as expected at first", [500]],
    ["lumps of which one in eight is three times late", [150, 150, 150, 150, 150, 150, 150, 450]],
  ])("shows new characters at least every 50 ms for %s", (_, gaps) => {
    expect(longestPause(Array.from({ length: 40 }, () => gaps).flat())).toBeLessThanOrEqual(50);
  });

  it("shows a first lump of one word slowly, without a pause of more than three frames", () => {
    let drain = openDrain(6, 0);
    const shown = Array.from({ length: 17 }, () => Math.floor((drain = advanceDrain(drain, 1_000 / 60)).shown));
    expect(shown.every((count, index) => count === 6 || count > (shown[index - 3] ?? -1))).toBe(true);
    expect(shown.at(-1)).toBe(6);
    expect(shown[11]).toBeLessThan(6);
  });

  it("shows all of a long text that streamed before", () => {
    expect(openDrain(41, 0).shown).toBe(41);
  });

  it("shows everything in the end, and not more than has arrived", () => {
    const grown = growDrain(startDrain(10, 0), 100, 250);
    expect(advanceDrain(grown, 10_000).shown).toBe(100);
    expect(advanceDrain(grown, 100).shown).toBeLessThan(100);
  });
});

describe("changeInterval", () => {
  it("is a frame for short texts and grows with the text", () => {
    expect([0, 1_000, 40_000, 9_000_000].map(changeInterval)).toEqual([16, 16, 40, 200]);
  });
});

describe("takeCharacters", () => {
  it("does not cut a character in half", () => {
    expect([1, 2.9, 3].map((count) => takeCharacters("a😀b", count))).toEqual(["a", "a", "a😀"]);
  });

  it("takes the next character with spaces, but not half of one", () => {
    expect([1, 2, 3].map((count) => takeCharacters("a  b", count))).toEqual(["a", "a  b", "a  b"]);
    expect([takeCharacters("a ", 2), takeCharacters("a 😀", 2)]).toEqual(["a ", "a "]);
  });
});
