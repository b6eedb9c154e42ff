/** Search in the text of a PDF. */
import { useEffect, useMemo, useState } from "react";

import type { PdfDocument } from "./openPdf";
import { findAll } from "./textMatches";

export interface PdfMatch {
  page: number;
  /** Number of the match on its page, from 0. */
  index: number;
}

export interface PdfSearch {
  query: string;
  setQuery(query: string): void;
  /** The match that is shown; null if there is none. */
  current: PdfMatch | null;
  /** Number of the current match, from 1. */
  position: number;
  count: number;
  /** True until the text of all pages is read. */
  isReading: boolean;
  /** Show the next match (1) or the one before (-1). */
  move(step: 1 | -1): void;
}

/** The text of the pages is read with the first search. */
export function usePdfSearch(document: PdfDocument, pages: number): PdfSearch {
  const [query, setQuery] = useState("");
  const [position, setPosition] = useState(0);
  const isSearching = query.trim() !== "";
  const pageTexts = usePageTexts(document, pages, isSearching);
  const matches = useMemo(() => pageTexts.flatMap((text, index) => toMatches(text, query, index + 1)), [pageTexts, query]);
  const current = matches[position] ?? null;
  return {
    query,
    setQuery: (next) => {
      setQuery(next);
      setPosition(0);
    },
    // The same object while the match is the same, so that it is scrolled into view once.
    current: useMemo(() => current, [current?.page, current?.index, query]),
    position: current ? position + 1 : 0,
    count: matches.length,
    isReading: isSearching && pageTexts.length < pages,
    move: (step) => setPosition((before) => (matches.length === 0 ? 0 : (before + step + matches.length) % matches.length)),
  };
}

function toMatches(text: string, query: string, page: number): PdfMatch[] {
  return findAll(text, query).map((_, index) => ({ page, index }));
}

const REPORT_INTERVAL_MS = 200;

/** Read the text of the pages in their order, and return what is read so far. */
function usePageTexts(document: PdfDocument, pages: number, isWanted: boolean): readonly string[] {
  const [pageTexts, setPageTexts] = useState<readonly string[]>([]);
  const [isStarted, setStarted] = useState(false);
  if (isWanted && !isStarted) setStarted(true);
  useEffect(() => {
    if (!isStarted) return;
    let isClosed = false;
    const read = async (): Promise<void> => {
      const found: string[] = [];
      let reportedAt = 0;
      for (let number = 1; number <= pages && !isClosed; number += 1) {
        found.push(await readPageText(document, number).catch(() => "")); // a damaged page has no text
        if (performance.now() - reportedAt < REPORT_INTERVAL_MS && number < pages) continue;
        reportedAt = performance.now();
        if (!isClosed) setPageTexts([...found]);
      }
    };
    void read();
    return () => {
      isClosed = true;
    };
  }, [document, pages, isStarted]);
  return pageTexts;
}

/** Return the text of a page, as its text layer has it. */
async function readPageText(document: PdfDocument, number: number): Promise<string> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  return items.map((item) => ("str" in item ? item.str : "")).join("");
}
