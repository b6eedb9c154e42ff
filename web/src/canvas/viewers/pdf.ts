/** pdf.js, set up for a page whose policy lets in nothing but files of its own: reading and drawing are workers' work. */
import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import rendererUrl from "pdfjs-dist/legacy/build/pdf.renderer.min.mjs?url";
import workerUrl from "pdfjs-dist/legacy/build/pdf.worker.min.mjs?url";

export type PdfDocument = PDFDocumentProxy;

GlobalWorkerOptions.workerSrc = workerUrl;
GlobalWorkerOptions.rendererSrc = rendererUrl;

type Addresses = Record<string, string>;
const PACKAGED: Addresses = import.meta.glob(
  [
    "../../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}",
    "../../../../node_modules/pdfjs-dist/cmaps/*.bcmap",
    "../../../../node_modules/pdfjs-dist/wasm/*_fallback.js",
  ],
  { query: "?url", import: "default", eager: true },
);

/** Fonts, character maps and decoders that a document lacks, by their names in the package. */
class PackagedData {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const address = Object.entries(PACKAGED).find(([path]) => path.endsWith(`/${filename}`))?.[1];
    if (!address) throw new Error(`${filename} is not part of this page.`);
    return new Uint8Array(await (await fetch(address)).arrayBuffer());
  }
}

/** Open a document; returns what ends it. */
export function openPdf(
  bytes: Uint8Array<ArrayBuffer>,
  opened: (document: PdfDocument) => void,
  failed: () => void,
): () => void {
  let wanted = true;
  const task = getDocument({
    data: bytes.slice(), // it is given away to the worker
    BinaryDataFactory: PackagedData,
    useWorkerFetch: false,
    useWasm: false, // it would need a policy that lets text become code
    enableXfa: false,
  });
  task.promise.then(
    (document) => wanted && opened(document),
    () => wanted && failed(),
  );
  return () => {
    wanted = false;
    void task.destroy();
  };
}
