import { texts } from "../../texts";
import type { Item } from "../item";
import { openOffice } from "../office/openOffice";
import { AsyncPreview, PreviewError, TruncationNote } from "../PreviewState";
import { useAsync } from "../useAsync";
import { SandboxedFrame } from "./SandboxedFrame";
import type { ViewerProps } from "./types";
import { useFileBytes } from "./useFileContent";

const MAX_BYTES = 32 << 20;

/** Word document as pages. It is drawn as HTML and shown like any HTML from others: sanitized, in a frame without scripts. */
export default function Docx({ item }: ViewerProps) {
  return (
    <AsyncPreview item={item} state={useFileBytes(item, MAX_BYTES)}>
      {(bytes) => <Document item={item} bytes={bytes} />}
    </AsyncPreview>
  );
}

function Document({ item, bytes }: { item: Item; bytes: Uint8Array<ArrayBuffer> }) {
  const state = useAsync(`${item.fileKey}@${item.version}`, async () => {
    const [entries, { drawDocument }] = await Promise.all([openOffice("docx", bytes), import("../office/drawDocument")]);
    return drawDocument(entries);
  });
  return (
    <AsyncPreview item={item} state={state}>
      {({ html, isComplete }) => (
        <>
          {!isComplete && <TruncationNote item={item} shown={texts.office.beginning} />}
          <SandboxedFrame
            item={item}
            html={`${SURROUNDINGS}${html}`}
            otherwise={<PreviewError item={item} message={texts.canvas.noPreview} />}
          />
        </>
      )}
    </AsyncPreview>
  );
}

/**
 * The pages lie on the same gray down to the end of the frame. A document that does not say its page size gets A4 pages.
 * In a narrow frame, the text takes the width that there is.
 */
const SURROUNDINGS = `<style>
body { margin: 0; background: gray; }
section.docx:not([style*="width:"]) { width: 210mm; min-height: 297mm; padding: 25mm; }
@media (max-width: 700px) {
  .docx-wrapper { padding: 8px !important; }
  section.docx { align-self: stretch; width: auto !important; min-height: 0 !important; padding: 16px !important; overflow-x: auto !important; }
}
</style>`;
