/** Downloads files as one zip archive, without holding them in memory. */
import { makeZip } from "client-zip";

import type { FileRecord } from "../api/types";
import { fetchContent } from "../canvas/content";
import { itemFromFile } from "../canvas/item";
import { errorMessage } from "../shared/notifications";

/** Limit of browsers without a private file system, which hold the archive in memory. */
const MAX_BYTES_IN_MEMORY = 256 << 20;
const FOLDER = "archives";
/** The browser may still be saving a younger archive. */
const MAX_AGE_MS = 60 * 60_000;

interface ZipOptions {
  signal: AbortSignal;
  /** Called when a file begins; `count` files are complete. */
  onProgress(count: number): void;
}

/**
 * Download files as `files.zip`. The archive is streamed to the browser's private file system, so its size is limited by the
 * disk only. Throws if a file cannot be read.
 */
export async function downloadAsZip(files: readonly FileRecord[], { signal, onProgress }: ZipOptions): Promise<void> {
  const archive = makeZip(readEntries(files, signal, onProgress));
  const blob = await store(archive, files, signal);
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = "files.zip";
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser has opened the file by then
}

/** Yield the entries of the archive; a file is requested when the one before is written. */
async function* readEntries(files: readonly FileRecord[], signal: AbortSignal, onProgress: (count: number) => void) {
  const names = uniqueNames(files.map(({ name }) => name));
  for (const [index, file] of files.entries()) {
    signal.throwIfAborted();
    onProgress(index);
    const response = await fetchFile(file);
    yield { name: names[index] ?? file.name, input: response, lastModified: new Date(file.created_at) };
  }
}

async function fetchFile(file: FileRecord): Promise<Response> {
  try {
    const url = await itemFromFile(file).link();
    return (await fetchContent(url, file.size, Number.POSITIVE_INFINITY)).response;
  } catch (error) {
    throw new Error(`${file.name}: ${errorMessage(error)}`);
  }
}

/** Number names that occur more than once: `a.csv`, `a (2).csv`. Names are compared without case, as Windows does. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const dot = name.lastIndexOf(".") > 0 ? name.lastIndexOf(".") : name.length;
    let unique = name;
    for (let count = 2; taken.has(unique.toLowerCase()); count += 1) unique = `${name.slice(0, dot)} (${count})${name.slice(dot)}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

async function store(archive: ReadableStream, files: readonly FileRecord[], signal: AbortSignal): Promise<Blob> {
  const folder = await openFolder();
  if (folder === null) return storeInMemory(archive, files);
  const handle = await folder.getFileHandle(`${Date.now()}.zip`, { create: true });
  await archive.pipeTo(await handle.createWritable(), { signal });
  return handle.getFile();
}

/** Return the folder for archives in the page's private file system, without old ones; null if the browser has none. */
async function openFolder(): Promise<FileSystemDirectoryHandle | null> {
  if (!navigator.storage?.getDirectory || !("createWritable" in (globalThis.FileSystemFileHandle?.prototype ?? {}))) return null;
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(FOLDER, { create: true });
  for await (const name of folder.keys()) {
    if (Number.parseInt(name) < Date.now() - MAX_AGE_MS) await folder.removeEntry(name);
  }
  return folder;
}

async function storeInMemory(archive: ReadableStream, files: readonly FileRecord[]): Promise<Blob> {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > MAX_BYTES_IN_MEMORY) {
    await archive.cancel();
    throw new Error("These files are too large for one archive in this browser. Select fewer files.");
  }
  return new Response(archive).blob();
}
