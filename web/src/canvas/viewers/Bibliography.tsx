import { useMemo, useState } from "react";

import { toast } from "../../shared/toasts";
import { type Citation, readCitations } from "../bibliography/citation";
import { bibtex, ris } from "../bibliography/export";
import type { Item } from "../item";
import { NotShown, Shown } from "../Shown";
import type { ViewerProps } from ".";
import { useText } from "./useFile";

const MOST_BYTES = 2 << 20;
const A_PAGE = 50;

/** Citations as a list with links, to be taken along to other programs. */
export default function Bibliography({ item }: ViewerProps) {
  return (
    <Shown item={item} loaded={useText(item, MOST_BYTES)}>
      {({ text }) => <Citations item={item} text={text} />}
    </Shown>
  );
}

function Citations({ item, text }: { item: Item; text: string }) {
  const citations = useMemo(() => read(text), [text]);
  const [shown, setShown] = useState(A_PAGE);
  if (!citations) return <NotShown item={item} why="This bibliography cannot be read." />;
  return (
    <div className="viewer-page">
      <div className="table-bar">
        <span>{citations.length.toLocaleString("en")} citations</span>
        <button type="button" onClick={() => copy("BibTeX", bibtex(citations))}>
          Copy as BibTeX
        </button>
        <button type="button" onClick={() => copy("RIS", ris(citations))}>
          Copy as RIS
        </button>
      </div>
      <ol className="citations">
        {citations.slice(0, shown).map((citation, at) => (
          <CitationLine key={at} citation={citation} />
        ))}
      </ol>
      {shown < citations.length && (
        <button type="button" onClick={() => setShown(shown + A_PAGE)}>
          Show more
        </button>
      )}
    </div>
  );
}

function CitationLine({ citation }: { citation: Citation }) {
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
          <summary>Abstract</summary>
          {abstract}
        </details>
      )}
    </li>
  );
}

function read(text: string): Citation[] | null {
  try {
    return readCitations(text);
  } catch {
    return null; // the viewer says so
  }
}

async function copy(what: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied as ${what}.`);
  } catch {
    toast("The browser did not allow copying.", { kind: "error" });
  }
}
