/** What servers say about their tools: icons and hints about effects. Pure. */
import type { Tool } from "../api/types";

/** Return the first icon that contains its picture. The page never loads an icon from another site. */
export function iconOf(tool: Tool): string | null {
  return tool.icons?.find(({ src }) => src.startsWith("data:image/"))?.src ?? null;
}

/** Return the hints that the server gave, in words. A missing hint says nothing. */
export function describeHints({ hints }: Tool): string[] {
  if (!hints) return [];
  return [
    hints.read_only === true && "Read-only",
    hints.read_only !== true && hints.destructive === true && "Destructive",
    hints.read_only !== true && hints.destructive === false && "Not destructive",
    hints.read_only !== true && hints.idempotent === true && "Safe to repeat",
    hints.open_world === true && "Uses outside systems",
  ].filter((hint) => hint !== false);
}
