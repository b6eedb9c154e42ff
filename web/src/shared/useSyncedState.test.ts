import { expect, test } from "vitest";

import { PendingRequests } from "./useSyncedState";

test("each request in flight gets the changes made since it started, and a later request gets none", async () => {
  const requests = new PendingRequests<string>();
  const first = requests.track(Promise.resolve("first"));
  requests.record((value) => `${value}, renamed`);
  const second = requests.track(Promise.resolve("second"));
  requests.record((value) => `${value}, moved`);
  const responses = await Promise.all([first, second]);
  const third = requests.track(Promise.resolve("third"));
  expect([...responses, await third].map(([response, reapply]) => reapply(response))).toEqual([
    "first, renamed, moved",
    "second, moved",
    "third",
  ]);
});

test("a failed request rejects and leaves no changes for the next one", async () => {
  const requests = new PendingRequests<string>();
  await expect(requests.track(Promise.reject<string>(new Error("no connection")))).rejects.toThrow("no connection");
  const [response, reapply] = await requests.track(Promise.resolve("loaded"));
  expect(reapply(response)).toBe("loaded");
});
