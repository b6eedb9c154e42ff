import { expect, test } from "vitest";
import type { Session } from "../api/types";
import { timesOfSameTitles } from "./titles";

const chat = (id: string, title: string | null, at: Date): Session =>
  ({ session_id: id, title, last_used_at: at.toISOString() }) as Session;

test("only chats with the same title have times, to the second, and before today with the date", () => {
  const now = new Date();
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), 0, 0, 7);
  const earlier = new Date(2025, 0, 31, 9, 30, 5);
  const times = timesOfSameTitles([
    chat("a", "Budget", today),
    chat("b", "Sales", today),
    chat("c", "Budget", earlier),
    chat("d", null, earlier),
    chat("e", "", today),
  ]);
  expect([...times]).toEqual([
    ["a", today.toLocaleTimeString(undefined, { timeStyle: "medium" })],
    ["c", earlier.toLocaleString(undefined, { dateStyle: "short", timeStyle: "medium" })],
    ["d", earlier.toLocaleString(undefined, { dateStyle: "short", timeStyle: "medium" })],
    ["e", today.toLocaleTimeString(undefined, { timeStyle: "medium" })],
  ]);
  expect(times.get("a")).toMatch(/\b07\b/);
});
