import { useEffect, useRef, useState } from "react";

import { texts } from "../../texts";
import type { Item } from "../item";
import { AsyncPreview, PreviewError, TruncationNote } from "../PreviewState";
import { openPdf, type PdfDocument } from "./openPdf";
import { PdfPage } from "./PdfPage";
import { type PdfSearch, usePdfSearch } from "./pdfSearch";
import { useWidth } from "../useWidth";
import type { ViewerProps } from "./types";
import { useFileBytes } from "./useFileContent";

const MAX_BYTES = 64 << 20;
const MAX_PAGES = 500;
const ZOOM_FACTOR = 1.25;
const MIN_ZOOM = 0.25;
const MAX_ZOOM = 4;

/** PDF as a column of pages with their text, which can be selected and searched. Visible pages are rendered. */
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
  if (!document) return <p className="viewer-message">{texts.app.loading}</p>;
  if (document === "unreadable") return <PreviewError item={item} message={texts.pdf.unreadable} />;
  return <Reader item={item} document={document} />;
}

function Reader({ item, document }: { item: Item; document: PdfDocument }) {
  const box = useRef<HTMLElement>(null);
  const width = useWidth(box);
  const [zoom, setZoom] = useState(1);
  const [page, setPage] = useState(1);
  const pages = Math.min(document.numPages, MAX_PAGES);
  const search = usePdfSearch(document, pages);
  const { current } = search;
  useEffect(() => {
    if (current) box.current?.children[current.page - 1]?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <>
      {pages < document.numPages && <TruncationNote item={item} shown={texts.pdf.firstPages(pages, document.numPages)} />}
      <div className="viewer-toolbar">
        <span>{texts.pdf.page(page, document.numPages)}</span>
        <ZoomBar zoom={zoom} onZoom={setZoom} />
        <FindBar search={search} />
      </div>
      <section
        ref={box}
        className="viewer-pdf"
        tabIndex={0}
        aria-label={item.title}
        onScroll={({ currentTarget }) => setPage(findPage(currentTarget))}
      >
        {width > 0 &&
          Array.from({ length: pages }, (_, index) => (
            <PdfPage
              key={index + 1}
              document={document}
              number={index + 1}
              width={Math.round(width * zoom)}
              query={search.query}
              current={current?.page === index + 1 ? current.index : null}
            />
          ))}
      </section>
    </>
  );
}

function FindBar({ search }: { search: PdfSearch }) {
  const { query, position, count, isReading } = search;
  return (
    <span className="toolbar-group find-bar" role="search">
      <input
        type="search"
        aria-label={texts.pdf.find}
        placeholder={texts.pdf.findHint}
        value={query}
        onChange={(event) => search.setQuery(event.target.value)}
        onKeyDown={(event) => event.key === "Enter" && search.move(event.shiftKey ? -1 : 1)}
      />
      {query.trim() !== "" && (
        <>
          <span role="status">{isReading && count === 0 ? texts.pdf.searching : texts.pdf.found(position, count)}</span>
          <button type="button" aria-label={texts.pdf.previous} onClick={() => search.move(-1)}>
            ↑
          </button>
          <button type="button" aria-label={texts.pdf.next} onClick={() => search.move(1)}>
            ↓
          </button>
        </>
      )}
    </span>
  );
}

function ZoomBar({ zoom, onZoom }: { zoom: number; onZoom(zoom: number): void }) {
  const change = (factor: number) => onZoom(Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, zoom * factor)));
  return (
    <span className="toolbar-group">
      <button type="button" aria-label={texts.pdf.zoomOut} onClick={() => change(1 / ZOOM_FACTOR)}>
        −
      </button>
      <button type="button" aria-label={texts.pdf.fit(Math.round(zoom * 100))} onClick={() => onZoom(1)}>
        {Math.round(zoom * 100)} %
      </button>
      <button type="button" aria-label={texts.pdf.zoomIn} onClick={() => change(ZOOM_FACTOR)}>
        +
      </button>
    </span>
  );
}

/** Return the number of the page in the middle of the view. */
function findPage(box: HTMLElement): number {
  const middle = box.getBoundingClientRect().top + box.clientHeight / 2;
  const index = [...box.children].findIndex((page) => page.getBoundingClientRect().bottom > middle);
  return index === -1 ? box.children.length : index + 1;
}
