/** What servers say about their tools: icons and hints about effects. Pure. */
import type { Tool } from "../api/types";
import { texts } from "../texts";

/** Return the first icon that contains its picture. The page never loads an icon from another site. */
export function iconOf(tool: Tool): string | null {
  return tool.icons?.find(({ src }) => src.startsWith("data:image/"))?.src ?? null;
}

/** Return the hints that the server gave, in words. A missing hint says nothing. */
export function describeHints({ hints }: Tool): string[] {
  if (!hints) return [];
  return [
    hints.read_only === true && texts.tools.readOnly,
    hints.read_only !== true && hints.destructive === true && texts.tools.destructive,
    hints.read_only !== true && hints.destructive === false && texts.tools.notDestructive,
    hints.read_only !== true && hints.idempotent === true && texts.tools.repeatable,
    hints.open_world === true && texts.tools.outside,
  ].filter((hint) => hint !== false);
}
