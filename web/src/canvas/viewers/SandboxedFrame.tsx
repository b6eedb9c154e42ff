import { type ReactNode, useMemo } from "react";

import type { Item } from "../item";
import { toSandboxedDocument } from "./sandboxedHtml";

/** Sanitized HTML in a frame without scripts, or `otherwise` if it is nested too deeply. */
export function SandboxedFrame({ item, html, otherwise }: { item: Item; html: string; otherwise: ReactNode }) {
  const source = useMemo(() => toSandboxedDocument(html), [html]);
  if (source === null) return otherwise;
  return <iframe className="viewer-frame" title={item.title} sandbox="" srcDoc={source} referrerPolicy="no-referrer" />;
}
