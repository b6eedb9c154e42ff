/** Groups of the list of chats. Pure. */
import type { Session } from "../api/types";

const DAY_MS = 24 * 60 * 60 * 1000;

export interface SessionGroup {
  title: string;
  sessions: readonly Session[];
}

/** Return the sessions in groups by the local day of their last use, without empty groups. */
export function groupByDay(sessions: readonly Session[], now: Date): SessionGroup[] {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const limits: readonly [string, number][] = [
    ["Today", today],
    ["Yesterday", today - DAY_MS],
    ["Previous 7 days", today - 7 * DAY_MS],
    ["Older", -Infinity],
  ];
  const titleOf = ({ last_used_at: at }: Session): string => limits.find(([, since]) => Date.parse(at) >= since)?.[0] ?? "Older";
  const groups = limits.map(([title]) => ({ title, sessions: sessions.filter((session) => titleOf(session) === title) }));
  return groups.filter((group) => group.sessions.length > 0);
}
