import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { GUARD_MS, startGuard } from "./guard";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start() {
  const page = new EventTarget();
  const ended = vi.fn();
  return { page, ended, stop: startGuard(page, ended) };
}

test("a button accepts a click when nothing was pressed for a moment", () => {
  const { ended } = start();
  vi.advanceTimersByTime(GUARD_MS - 1);
  expect(ended).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(ended).toHaveBeenCalledOnce();
});

test("a user who clicks on and on, as in a game of the app, allows nothing", () => {
  const { page, ended } = start();
  for (let click = 0; click < 20; click++) {
    vi.advanceTimersByTime(GUARD_MS - 1);
    page.dispatchEvent(new Event("pointerdown"));
  }
  expect(ended).not.toHaveBeenCalled();
  vi.advanceTimersByTime(GUARD_MS);
  expect(ended).toHaveBeenCalledOnce();
});

test("a stopped guard never ends", () => {
  const { ended, stop } = start();
  stop();
  vi.advanceTimersByTime(2 * GUARD_MS);
  expect(ended).not.toHaveBeenCalled();
});
