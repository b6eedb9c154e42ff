import { useMemo, useState } from "react";
import { texts } from "../../texts";

import { toast } from "../../shared/notifications";
import { type Citation, parseCitations } from "../bibliography/citation";
import { toBibtex, toRis } from "../bibliography/export";
import type { Item } from "../item";
import { AsyncPreview, PreviewError } from "../PreviewState";
import type { ViewerProps } from "./types";
import { useFileText } from "./useFileContent";

const MAX_BYTES = 2 << 20;
const PAGE_SIZE = 50;

/** List of citations with links; can be copied in formats of reference managers. */
export default function Bibliography({ item }: ViewerProps) {
  return (
    <AsyncPreview item={item} state={useFileText(item, MAX_BYTES)}>
      {({ text }) => <CitationList item={item} text={text} />}
    </AsyncPreview>
  );
}

function CitationList({ item, text }: { item: Item; text: string }) {
  const citations = useMemo(() => tryParse(text), [text]);
  const [visibleCount, setVisibleCount] = useState(PAGE_SIZE);
  if (!citations) return <PreviewError item={item} message={texts.viewers.noBibliography} />;
  return (
    <>
      <div className="viewer-toolbar">
        <span>{citations.length.toLocaleString("en")} citations</span>
        <button type="button" onClick={() => copy("BibTeX", toBibtex(citations))}>
          Copy as BibTeX
        </button>
        <button type="button" onClick={() => copy("RIS", toRis(citations))}>
          Copy as RIS
        </button>
      </div>
      <div className="viewer-page">
        <ol className="citations">
          {citations.slice(0, visibleCount).map((citation, index) => (
            <CitationRow key={index} citation={citation} />
          ))}
        </ol>
        {visibleCount < citations.length && (
          <button type="button" onClick={() => setVisibleCount(visibleCount + PAGE_SIZE)}>
            Show more
          </button>
        )}
      </div>
    </>
  );
}

function CitationRow({ citation }: { citation: Citation }) {
  const { title, authors, journal, year, link, abstract } = citation;
  return (
    <li>
      {link ? (
        <a href={link} target="_blank" rel="noopener noreferrer">
          {title}
        </a>
      ) : (
        <strong>{title}</strong>
      )}
      <div className="faint">{[authors.join("; "), journal, year].filter(Boolean).join(" · ")}</div>
      {abstract && (
        <details>
          <summary>{texts.viewers.abstract}</summary>
          {abstract}
        </details>
      )}
    </li>
  );
}

function tryParse(text: string): Citation[] | null {
  try {
    return parseCitations(text);
  } catch {
    return null;
  }
}

async function copy(format: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(texts.viewers.copiedAs(format));
  } catch {
    toast(texts.viewers.noClipboard, { kind: "error" });
  }
}
