import { expect, test, vi } from "vitest";
import type { TurnEvent } from "../api/types";
import { loadAppOf, setLoadApp } from "./earlyLoad";
import { decode } from "./page";
import { shared } from "./shared";

const FILE = { file_key: "f1", version: 2 };

test("the text of a page is decoded from UTF-8", () => {
  expect(decode("PHA+w6kg8J+Zgjwv")).toBe("<p>é 🙂</");
});

test("a version is loaded once within seconds, and other versions are loaded for themselves", async () => {
  vi.useFakeTimers();
  const load = vi.fn(async ({ version }: { version: number }) => version);
  const loadShared = shared(load);
  expect(await Promise.all([loadShared(FILE), loadShared(FILE), loadShared({ ...FILE, version: 3 })])).toEqual([2, 2, 3]);
  expect(load).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(10_000);
  await loadShared(FILE);
  expect(load).toHaveBeenCalledTimes(3);
  vi.useRealTimers();
});

test("a failure is not shared with later loads", async () => {
  const load = vi.fn().mockRejectedValueOnce(new Error("cut")).mockResolvedValueOnce("page");
  const loadShared = shared(load);
  await expect(loadShared(FILE)).rejects.toThrow("cut");
  expect(await loadShared(FILE)).toBe("page");
});

test("the event of a result loads its apps, and no other files", () => {
  const load = vi.fn(async () => undefined);
  setLoadApp(load);
  const files = [{ ...FILE, viewer: "app" }, { file_key: "f2", version: 1, viewer: "code" }, { file_key: "f3", version: 1, next_actions: [] }];
  loadAppOf({ type: "intermediate_update", update_type: "files_update", files } as unknown as TurnEvent);
  loadAppOf({ type: "intermediate_update", update_type: "notification", message: "" } as unknown as TurnEvent);
  expect(load.mock.calls).toEqual([[files[0]]]);
});
