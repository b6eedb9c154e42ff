import { useEffect, useState } from "react";

import type { Item } from "../item";
import { CutNote, NotShown, Shown } from "../Shown";
import type { ViewerProps } from ".";
import { openPdf, type PdfDocument } from "./pdf";
import { PdfPage } from "./PdfPage";
import { useBytes } from "./useFile";

const MOST_BYTES = 64 << 20;
const MOST_PAGES = 500;

/** A PDF, page under page; each is drawn when it comes into sight. */
export default function Pdf({ item }: ViewerProps) {
  return (
    <Shown item={item} loaded={useBytes(item, MOST_BYTES)}>
      {(bytes) => <Pages item={item} bytes={bytes} />}
    </Shown>
  );
}

function Pages({ item, bytes }: { item: Item; bytes: Uint8Array<ArrayBuffer> }) {
  const [document, setDocument] = useState<PdfDocument | "broken">();
  useEffect(() => openPdf(bytes, setDocument, () => setDocument("broken")), [bytes]);
  if (!document) return <p className="viewer-note">Loading…</p>;
  if (document === "broken") return <NotShown item={item} why="This PDF cannot be shown: it is damaged or locked." />;
  const pages = Math.min(document.numPages, MOST_PAGES);
  return (
    <>
      {pages < document.numPages && <CutNote item={item} shown={`The first ${pages} of ${document.numPages} pages`} />}
      <section className="viewer-pdf" tabIndex={0} aria-label={item.title}>
        {Array.from({ length: pages }, (_, at) => (
          <PdfPage key={at + 1} document={document} number={at + 1} />
        ))}
      </section>
    </>
  );
}
