/** pdf.js, configured for the page's content security policy (own files only). Parsing and rendering run in workers. */
import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy, TextLayer } from "pdfjs-dist/legacy/build/pdf.mjs";
import rendererUrl from "pdfjs-dist/legacy/build/pdf.renderer.min.mjs?url";
import workerUrl from "pdfjs-dist/legacy/build/pdf.worker.min.mjs?url";

export { TextLayer };
export type PdfDocument = PDFDocumentProxy;

GlobalWorkerOptions.workerSrc = workerUrl;
GlobalWorkerOptions.rendererSrc = rendererUrl;

/** URLs of the data files of pdf.js, by path in the package. */
const DATA_URLS: Record<string, string> = import.meta.glob(
  [
    "../../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}",
    "../../../../node_modules/pdfjs-dist/cmaps/*.bcmap",
    "../../../../node_modules/pdfjs-dist/wasm/*_fallback.js",
  ],
  { query: "?url", import: "default", eager: true },
);

/** Loads fonts, character maps and decoders that a document lacks from the page's own files. */
class BundledDataFactory {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const url = Object.entries(DATA_URLS).find(([path]) => path.endsWith(`/${filename}`))?.[1];
    if (!url) throw new Error(`${filename} is not bundled with this page.`);
    return new Uint8Array(await (await fetch(url)).arrayBuffer());
  }
}

/** Open a document and call `onOpen` or `onError`. Return a function that closes it. */
export function openPdf(
  bytes: Uint8Array<ArrayBuffer>,
  onOpen: (document: PdfDocument) => void,
  onError: () => void,
): () => void {
  let closed = false;
  const task = getDocument({
    data: bytes.slice(), // a copy: pdf.js transfers the buffer to its worker
    BinaryDataFactory: BundledDataFactory,
    useWorkerFetch: false,
    useWasm: false, // would need 'unsafe-eval' in the content security policy
    enableXfa: false,
  });
  task.promise.then(
    (document) => closed || onOpen(document),
    () => closed || onError(),
  );
  return () => {
    closed = true;
    void task.destroy();
  };
}
