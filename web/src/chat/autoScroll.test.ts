import { expect, test } from "vitest";
import { nextScrollState, type ScrollState } from "./autoScroll";

const AT_END: ScrollState = { top: 600, height: 1000, clientHeight: 400, isPinned: true };
const box = (scrollTop: number, { scrollHeight = 1000, clientHeight = 400 } = {}) => ({ scrollTop, scrollHeight, clientHeight });
const isPinned = (before: ScrollState, now: ReturnType<typeof box>, byUser = false) => nextScrollState(before, now, byUser).isPinned;

test("the box stays pinned when its content grows", () => {
  expect(isPinned(AT_END, box(600, { scrollHeight: 5000 }))).toBe(true);
});

test("the box stays pinned when the browser moves it while its content changes", () => {
  expect(isPinned(AT_END, box(300, { scrollHeight: 5000 }))).toBe(true);
});

test("a small scroll up unpins the box, and growing content does not pin it again", () => {
  const scrolledUp = nextScrollState(AT_END, box(590), false);
  expect(scrolledUp.isPinned).toBe(false);
  expect(isPinned(scrolledUp, box(590, { scrollHeight: 1010 }))).toBe(false);
});

test("a scroll up by the user unpins the box, even while its content grows", () => {
  expect(isPinned(AT_END, box(590, { scrollHeight: 1100 }), true)).toBe(false);
});

test("a scroll down pins the box again only near the end", () => {
  const scrolledUp = { ...AT_END, top: 100, isPinned: false };
  expect(isPinned(scrolledUp, box(300))).toBe(false);
  expect(isPinned(scrolledUp, box(500))).toBe(true);
});

test("a pinned box stays pinned when it grows or its content shrinks", () => {
  expect(isPinned(AT_END, box(500, { clientHeight: 500 }))).toBe(true);
  expect(isPinned(AT_END, box(200, { scrollHeight: 600 }))).toBe(true);
});

test("a box whose content fits is pinned, as when another session opens", () => {
  expect(isPinned({ ...AT_END, top: 100, isPinned: false }, box(0, { scrollHeight: 400 }))).toBe(true);
});
