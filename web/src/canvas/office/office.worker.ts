/** Unpacks Word documents and presentations, and reads the sheets of workbooks, without blocking the page. */
import Papa from "papaparse";
import readWorkbook from "read-excel-file/web-worker";

import { ArchiveError, type ArchiveFault, type Entries, pack, unpack } from "./archive";

export interface Sheet {
  name: string;
  /** The cells as comma-separated values. */
  csv: string;
}

/** What is returned for each kind of file. */
export interface OfficeResults {
  /** A document without macros and embedded files. */
  docx: Entries;
  xlsx: readonly Sheet[];
  /** The XML files and the media of a presentation. */
  pptx: Entries;
}

export type OfficeKind = keyof OfficeResults;

export interface OfficeRequest {
  kind: OfficeKind;
  bytes: ArrayBuffer;
}

export type OfficeAnswer = { result: OfficeResults[OfficeKind] } | { fault: ArchiveFault };

const READERS: { [Kind in OfficeKind]: (bytes: Uint8Array) => OfficeResults[Kind] | Promise<OfficeResults[Kind]> } = {
  docx: (bytes) => unpack(bytes, (path) => !/^word\/(embeddings|activeX|vbaProject)/i.test(path)),
  xlsx: readSheets,
  pptx: (bytes) => unpack(bytes, (path) => /^ppt\/(presentation\.xml|_rels\/|slides\/|notesSlides\/|media\/)/i.test(path)),
};

onmessage = async ({ data }: MessageEvent<OfficeRequest>) => postMessage(await answer(data));

async function answer({ kind, bytes }: OfficeRequest): Promise<OfficeAnswer> {
  try {
    return { result: await READERS[kind](new Uint8Array(bytes)) };
  } catch (error) {
    return { fault: error instanceof ArchiveError ? error.fault : "damaged" };
  }
}

async function readSheets(bytes: Uint8Array): Promise<readonly Sheet[]> {
  const isData = (path: string): boolean => /\.(xml|rels)$/i.test(path);
  const sheets = await readWorkbook(pack(unpack(bytes, isData)).buffer);
  return sheets.map(({ sheet, data }) => ({ name: sheet, csv: Papa.unparse(data.map((row) => row.map(toText))) }));
}

function toText(cell: unknown): string {
  if (cell instanceof Date) return cell.toISOString().replace("T00:00:00.000Z", "").replace(".000Z", "");
  return cell === null || cell === undefined ? "" : String(cell);
}
