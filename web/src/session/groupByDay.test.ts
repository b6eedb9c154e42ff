import { expect, test } from "vitest";
import type { Session } from "../api/types";
import { groupByDay } from "./groupByDay";

const NOW = new Date(2026, 10, 23, 9, 0);
const at = (...date: [number, number, number, number]): Session =>
  ({ session_id: date.join("-"), last_used_at: new Date(...date).toISOString() }) as Session;

test("chats are grouped by the local day of their last use, and empty groups are left out", () => {
  const sessions = [at(2026, 10, 23, 0), at(2026, 10, 22, 23), at(2026, 10, 17, 0), at(2026, 10, 15, 12), at(2025, 0, 1, 0)];
  expect(groupByDay(sessions, NOW).map(({ title, sessions: list }) => [title, list.length])).toEqual([
    ["Today", 1],
    ["Yesterday", 1],
    ["Previous 7 days", 1],
    ["Older", 2],
  ]);
  const pinned = { ...at(2025, 0, 1, 0), pinned: true };
  expect(groupByDay([at(2026, 10, 23, 0), pinned], NOW).map(({ title }) => title)).toEqual(["Pinned", "Today"]);
  expect(groupByDay([at(2025, 0, 1, 0)], NOW).map(({ title }) => title)).toEqual(["Older"]);
});
