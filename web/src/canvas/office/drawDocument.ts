/** Draws Word documents as HTML. Loaded with the first document. */
import { renderAsync } from "docx-preview";
import { strFromU8, strToU8 } from "fflate";

import { texts } from "../../texts";
import { type Entries, pack } from "./archive";

const MAIN_PART = "word/document.xml";
/** Drawing more XML elements would block the page for a second. */
const MAX_ELEMENTS = 30_000;

export interface DrawnDocument {
  /** Not sanitized yet. */
  html: string;
  /** False if only its beginning is drawn. */
  isComplete: boolean;
}

/** Return a document as HTML. Throws if it cannot be read. */
export async function drawDocument(entries: Entries): Promise<DrawnDocument> {
  // A document of its own: nothing that is drawn there runs or loads.
  const { body } = document.implementation.createHTMLDocument();
  try {
    const { xml, isComplete } = shorten(strFromU8(entries[MAIN_PART] ?? new Uint8Array()));
    const archive = pack({ ...entries, [MAIN_PART]: strToU8(xml) });
    await renderAsync(archive, body, body, { useBase64URL: true, renderAltChunks: false });
    return { html: body.innerHTML, isComplete };
  } catch {
    throw new Error(texts.office.faults.damaged);
  }
}

/** Drop the blocks at the end of a document that has too many elements. */
function shorten(xml: string): { xml: string; isComplete: boolean } {
  const parsed = new DOMParser().parseFromString(xml, "application/xml");
  const blocks = [...(parsed.querySelector("body")?.children ?? [])];
  let count = 0;
  const isDropped = (block: Element): boolean => {
    count += 1 + block.getElementsByTagName("*").length;
    return count > MAX_ELEMENTS && block.localName !== "sectPr"; // which has the size of the pages
  };
  const dropped = blocks.filter(isDropped);
  if (dropped.length === 0) return { xml, isComplete: true };
  for (const block of dropped) block.remove();
  return { xml: new XMLSerializer().serializeToString(parsed), isComplete: false };
}
