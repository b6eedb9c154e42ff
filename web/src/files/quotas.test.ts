import { expect, test } from "vitest";
import { describeQuotas } from "./quotas";

const none = { limit: 10, used: 0, resets_at: null };

test("describeQuotas shows the use and the limit of each quota", () => {
  const lines = describeQuotas({
    stored_bytes: { limit: 500 * 1024 ** 3, used: 1536 * 1024 ** 2, resets_at: null },
    open_sessions: { ...none, limit: 1000, used: 12 },
    turns_per_minute: { limit: 120, used: 3, resets_at: "2026-08-27T09:31:00Z" },
    running_calls: { ...none, limit: 32, used: 2 },
    uploads: none,
  });

  expect(lines).toEqual({
    storage: "1.5 GB of 500 GB used",
    others: [
      "12 of 1000 open chats",
      "3 of 120 messages in this minute",
      "2 of 32 tools running",
      "0 of 10 large uploads in progress",
    ],
  });
});
