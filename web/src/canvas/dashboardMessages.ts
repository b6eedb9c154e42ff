/**
 * The token in a dashboard's URL, and messages from the dashboard to the page (docs/dashboards.md). The messages come
 * from another origin and are untrusted. Pure.
 */

export type DashboardMessage =
  | { type: "ready" }
  | { type: "action"; action: string; details: Record<string, unknown> };

const MAX_ACTION_LENGTH = 200;

/** Parse the data of a `message` event; return null if it is not a dashboard message. */
export function parseDashboardMessage(data: unknown): DashboardMessage | null {
  if (typeof data !== "object" || data === null) return null;
  const { type, action, details } = data as Record<string, unknown>;
  if (type === "satchel:ready") return { type: "ready" };
  if (type !== "satchel:action" || typeof action !== "string" || action === "") return null;
  const isObject = typeof details === "object" && details !== null && !Array.isArray(details);
  return {
    type: "action",
    action: action.slice(0, MAX_ACTION_LENGTH),
    details: isObject ? (details as Record<string, unknown>) : {},
  };
}

/** Return true if a dashboard begins to speak the bridge of MCP Apps (docs/apps.md). */
export function beginsBridge(data: unknown): boolean {
  if (typeof data !== "object" || data === null) return false;
  const { jsonrpc, method } = data as Record<string, unknown>;
  return jsonrpc === "2.0" && method === "ui/initialize";
}

/** Add a token as the URL's fragment, which browsers don't send to servers. A fragment of the tool's own is kept. */
export function addToken(url: string, token: string | null): string {
  return token === null || url.includes("#") ? url : `${url}#token=${encodeURIComponent(token)}`;
}
