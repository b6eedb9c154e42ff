/** The user's quotas as readable lines. */
import type { Quotas } from "../api/types";
import { formatSize } from "../shared/format";

/** Return one line for the storage and one for each other quota. */
export function describeQuotas(quotas: Quotas): { storage: string; others: string[] } {
  const { stored_bytes, open_sessions, turns_per_minute, running_calls, uploads } = quotas;
  return {
    storage: `${formatSize(stored_bytes.used)} of ${formatSize(stored_bytes.limit)} used`,
    others: [
      `${open_sessions.used} of ${open_sessions.limit} open chats`,
      `${turns_per_minute.used} of ${turns_per_minute.limit} messages in this minute`,
      `${running_calls.used} of ${running_calls.limit} tools running`,
      `${uploads.used} of ${uploads.limit} large uploads in progress`,
    ],
  };
}
