import { texts } from "../../texts";
import type { Item } from "../item";
import { openOffice } from "../office/openOffice";
import { type Presentation, readPresentation, type Slide, type SlidePart } from "../office/slides";
import { AsyncPreview, TruncationNote } from "../PreviewState";
import { useAsync } from "../useAsync";
import type { ViewerProps } from "./types";
import { useFileBytes, useObjectUrl } from "./useFileContent";

const MAX_BYTES = 64 << 20;

/** Presentation as the texts, tables and pictures of its slides. Their layout is not drawn. */
export default function Slides({ item }: ViewerProps) {
  return (
    <AsyncPreview item={item} state={useFileBytes(item, MAX_BYTES)}>
      {(bytes) => <Content item={item} bytes={bytes} />}
    </AsyncPreview>
  );
}

function Content({ item, bytes }: { item: Item; bytes: Uint8Array<ArrayBuffer> }) {
  const state = useAsync(`${item.fileKey}@${item.version}`, () => openPresentation(bytes));
  return (
    <AsyncPreview item={item} state={state}>
      {({ slides, count }) => (
        <>
          {slides.length < count && <TruncationNote item={item} shown={texts.office.firstSlides(slides.length, count)} />}
          <p className="viewer-note faint" role="note">
            {texts.office.withoutLayout}
          </p>
          <section className="viewer-slides" tabIndex={0} aria-label={item.title}>
            <ol>
              {slides.map((slide, index) => (
                <SlideView key={index} slide={slide} number={index + 1} />
              ))}
            </ol>
          </section>
        </>
      )}
    </AsyncPreview>
  );
}

async function openPresentation(bytes: Uint8Array<ArrayBuffer>): Promise<Presentation> {
  const entries = await openOffice("pptx", bytes);
  try {
    return readPresentation(entries);
  } catch {
    throw new Error(texts.office.faults.damaged);
  }
}

function SlideView({ slide, number }: { slide: Slide; number: number }) {
  return (
    <li className="slide">
      <span className="slide-number faint">{texts.office.slide(number)}</span>
      {slide.title && <h3>{slide.title}</h3>}
      {slide.parts.map((part, index) => (
        <PartView key={index} part={part} />
      ))}
      {slide.notes.length > 0 && (
        <details>
          <summary>{texts.office.notes}</summary>
          {slide.notes.map((note, index) => (
            <p key={index}>{note}</p>
          ))}
        </details>
      )}
    </li>
  );
}

function PartView({ part }: { part: SlidePart }) {
  switch (part.kind) {
    case "text":
      return part.paragraphs.map(({ text, level }, index) => (
        <p key={index} style={{ marginInlineStart: `${level * 1.5}em` }}>
          {text}
        </p>
      ));
    case "table":
      return (
        <table>
          <tbody>
            {part.rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, column) => (
                  <td key={column}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      );
    case "picture":
      return <Picture {...part} />;
    case "omitted":
      return <p className="faint">{texts.office.omitted(part.name)}</p>;
  }
}

function Picture({ bytes, mime, description }: Extract<SlidePart, { kind: "picture" }>) {
  const url = useObjectUrl(bytes, mime);
  return url && <img src={url} alt={description} loading="lazy" />;
}
