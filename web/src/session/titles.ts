/** What distinguishes the chats of a list: their titles and, if these are the same, their times. */
import type { Session } from "../api/types";
import { texts } from "../texts";

export function titleOf(session: Session): string {
  return session.title || texts.sessions.new;
}

/** Return the times of the chats whose title another chat of the list has, by session id. */
export function timesOfSameTitles(sessions: readonly Session[]): ReadonlyMap<string, string> {
  const shared = new Set(sessions.map(titleOf).filter((title, index, all) => all.indexOf(title) !== index));
  const ambiguous = sessions.filter((session) => shared.has(titleOf(session)));
  return new Map(ambiguous.map((session) => [session.session_id, formatTime(session.last_used_at)]));
}

/** Return the time of day, with seconds because chats are often begun in the same minute; before today, with the date. */
function formatTime(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(undefined, { ...(isToday ? {} : { dateStyle: "short" }), timeStyle: "medium" });
}
