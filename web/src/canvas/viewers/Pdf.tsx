import { useEffect, useState } from "react";

import type { Item } from "../item";
import { AsyncPreview, PreviewError, TruncationNote } from "../PreviewState";
import { openPdf, type PdfDocument } from "./openPdf";
import { PdfPage } from "./PdfPage";
import type { ViewerProps } from "./types";
import { useFileBytes } from "./useFileContent";

const MAX_BYTES = 64 << 20;
const MAX_PAGES = 500;

/** PDF as a column of pages; a page is rendered when it scrolls into view. */
export default function Pdf({ item }: ViewerProps) {
  return (
    <AsyncPreview item={item} state={useFileBytes(item, MAX_BYTES)}>
      {(bytes) => <Pages item={item} bytes={bytes} />}
    </AsyncPreview>
  );
}

function Pages({ item, bytes }: { item: Item; bytes: Uint8Array<ArrayBuffer> }) {
  const [document, setDocument] = useState<PdfDocument | "unreadable">();
  useEffect(() => openPdf(bytes, setDocument, () => setDocument("unreadable")), [bytes]);
  if (!document) return <p className="viewer-message">Loading…</p>;
  if (document === "unreadable") {
    return <PreviewError item={item} message="Can't show this PDF: it is damaged or password-protected." />;
  }
  const pages = Math.min(document.numPages, MAX_PAGES);
  return (
    <>
      {pages < document.numPages && (
        <TruncationNote item={item} shown={`the first ${pages} of ${document.numPages} pages`} />
      )}
      <section className="viewer-pdf" tabIndex={0} aria-label={item.title}>
        {Array.from({ length: pages }, (_, index) => (
          <PdfPage key={index + 1} document={document} number={index + 1} />
        ))}
      </section>
    </>
  );
}
