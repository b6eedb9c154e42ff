import { expect, test } from "vitest";
import { nextScrollState } from "./autoScroll";

const PINNED_AT_END = { top: 600, isPinned: true };
const box = (scrollTop: number, { scrollHeight = 1000, clientHeight = 400 } = {}) => ({ scrollTop, scrollHeight, clientHeight });

test("the box stays pinned when its content grows", () => {
  expect(nextScrollState(PINNED_AT_END, box(600, { scrollHeight: 5000 }))).toEqual(PINNED_AT_END);
});

test("a small scroll up unpins the box, and growing content does not pin it again", () => {
  const scrolledUp = nextScrollState(PINNED_AT_END, box(590));
  expect(scrolledUp).toEqual({ top: 590, isPinned: false });
  expect(nextScrollState(scrolledUp, box(590, { scrollHeight: 1010 })).isPinned).toBe(false);
});

test("a scroll down pins the box again only near the end", () => {
  const scrolledUp = { top: 100, isPinned: false };
  expect(nextScrollState(scrolledUp, box(300)).isPinned).toBe(false);
  expect(nextScrollState(scrolledUp, box(500)).isPinned).toBe(true);
});

test("a pinned box stays pinned when it grows or its content shrinks", () => {
  expect(nextScrollState(PINNED_AT_END, box(500, { clientHeight: 500 })).isPinned).toBe(true);
  expect(nextScrollState(PINNED_AT_END, box(200, { scrollHeight: 600 })).isPinned).toBe(true);
});

test("an unpinned box stays unpinned when it grows", () => {
  expect(nextScrollState({ top: 600, isPinned: false }, box(500, { clientHeight: 500 })).isPinned).toBe(false);
});

test("a box whose content fits is pinned, as when another session opens", () => {
  expect(nextScrollState({ top: 100, isPinned: false }, box(0, { scrollHeight: 400 })).isPinned).toBe(true);
});
