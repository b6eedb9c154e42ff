import { expect, test } from "vitest";
import { scrolled } from "./scrolling";

const AT_END = { top: 600, followsEnd: true };
const box = (scrollTop: number, { scrollHeight = 1000, clientHeight = 400 } = {}) => ({ scrollTop, scrollHeight, clientHeight });

test("what grows does not end the following of its end", () => {
  expect(scrolled(AT_END, box(600, { scrollHeight: 5000 }))).toEqual(AT_END);
});

test("who scrolls up by a little follows the end no more, also while it grows", () => {
  const reading = scrolled(AT_END, box(590));
  expect(reading).toEqual({ top: 590, followsEnd: false });
  expect(scrolled(reading, box(590, { scrollHeight: 1010 })).followsEnd).toBe(false);
});

test("who comes near the end again follows it again", () => {
  const reading = { top: 100, followsEnd: false };
  expect(scrolled(reading, box(300)).followsEnd).toBe(false);
  expect(scrolled(reading, box(500)).followsEnd).toBe(true);
});

test("a box that becomes higher or has less in it stays at its end", () => {
  expect(scrolled(AT_END, box(500, { clientHeight: 500 })).followsEnd).toBe(true);
  expect(scrolled(AT_END, box(200, { scrollHeight: 600 })).followsEnd).toBe(true);
});

test("and one who read elsewhere is not brought to the end by that", () => {
  expect(scrolled({ top: 600, followsEnd: false }, box(500, { clientHeight: 500 })).followsEnd).toBe(false);
});

test("what fits whole is followed from then on: another session was opened", () => {
  expect(scrolled({ top: 100, followsEnd: false }, box(0, { scrollHeight: 400 })).followsEnd).toBe(true);
});
