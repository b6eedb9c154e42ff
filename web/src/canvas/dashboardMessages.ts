/** What a dashboard says to the page (docs/authors.md), read as what it is: words of somebody else. Pure. */

export type Said = { type: "ready" } | { type: "action"; action: string; details: Record<string, unknown> };

const LONGEST_ACTION = 200;

/** Return what a message says; null where it is not one of ours. */
export function saidBy(message: unknown): Said | null {
  if (typeof message !== "object" || message === null) return null;
  const { type, action, details } = message as Record<string, unknown>;
  if (type === "satchel:ready") return { type: "ready" };
  if (type !== "satchel:action" || typeof action !== "string" || action === "") return null;
  const told = typeof details === "object" && details !== null && !Array.isArray(details) ? details : {};
  return { type: "action", action: action.slice(0, LONGEST_ACTION), details: told as Record<string, unknown> };
}
