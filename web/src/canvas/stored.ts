/** Which dashboards somebody has closed: they do not come again when the page is loaded anew in the same window. */
import type { Tab } from "./tabs";

const PREFIX = "satchel.closed-dashboards.";

/** Return the keys of the tabs that were closed in a session. */
export function closedDashboards(sessionId: string): Set<string> {
  const kept = sessionStorage.getItem(PREFIX + sessionId);
  return new Set(kept ? (JSON.parse(kept) as string[]) : []);
}

/** Note that tabs were closed. */
export function rememberClosed(sessionId: string, tabs: readonly Tab[]): void {
  if (tabs.length === 0) return;
  const closed = [...closedDashboards(sessionId), ...tabs.map(({ key }) => key)];
  sessionStorage.setItem(PREFIX + sessionId, JSON.stringify(closed));
}
