/** Groups of the list of chats. Pure. */
import type { Session } from "../api/types";
import { texts } from "../texts";

const DAY_MS = 24 * 60 * 60 * 1000;

export interface SessionGroup {
  title: string;
  sessions: readonly Session[];
}

/** Return the sessions in groups by the local day of their last use, pinned ones first, without empty groups. */
export function groupByDay(sessions: readonly Session[], now: Date): SessionGroup[] {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const pinned = sessions.filter((session) => session.pinned);
  const others = sessions.filter((session) => !session.pinned);
  const limits: readonly [string, number][] = [
    [texts.sessions.today, today],
    [texts.sessions.yesterday, today - DAY_MS],
    [texts.sessions.week, today - 7 * DAY_MS],
    [texts.sessions.older, -Infinity],
  ];
  const titleOf = ({ last_used_at: at }: Session): string => limits.find(([, since]) => Date.parse(at) >= since)?.[0] ?? texts.sessions.older;
  const groups = limits.map(([title]) => ({ title, sessions: others.filter((session) => titleOf(session) === title) }));
  return [{ title: texts.sessions.pinned, sessions: pinned }, ...groups].filter((group) => group.sessions.length > 0);
}
