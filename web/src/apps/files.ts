/** Files of an app: those of its calls, which it reads through the page, and those that it gives to the user. */
import type { CallToolResult, ReadResourceResult, ResourceLink } from "@modelcontextprotocol/client";
import { uploadFile } from "@satchel/client";
import { api, transport, unwrap } from "../api/client";
import type { AppFile, OpenApp } from "../api/types";
import { fetchBytes } from "../canvas/content";
import { startDownload } from "../canvas/DownloadButton";
import { itemFromFile } from "../canvas/item";
import { toast } from "../shared/notifications";

/** Field of `_meta` of a result, with the links to the files of the call. */
export const FILES_META = "satchel/files";

const MAX_READ_BYTES = 32 << 20;
const MAX_READS_PER_MINUTE = 60;

/** A file that the app gives to the user: new bytes, or a file of its calls. */
export type Offered = { name: string; size: number } & ({ bytes: Uint8Array<ArrayBuffer>; mime: string } | { file: AppFile });

/**
 * The files that an app may read: those of the call that opened it, and of the calls that it makes.
 *
 * The app gets addresses that mean something to this page only. The page reads a file with a signed link, which it
 * renews, and which the app never sees: the app could send it to a domain that its server declares.
 */
export class AppFiles {
  private readonly files = new Map<string, AppFile>();
  private readonly reads: number[] = [];
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    files: readonly AppFile[] = [],
    private readonly fetchFile: (file: AppFile) => Promise<Uint8Array<ArrayBuffer>> = fetchAppFile,
    private readonly now: () => number = Date.now,
  ) {
    this.add(files);
  }

  /** Let the app read these files, too. Return links to them. */
  add(files: readonly AppFile[]): ResourceLink[] {
    for (const file of files) this.files.set(toUri(file), file);
    return files.map(toLink);
  }

  list(): ResourceLink[] {
    return [...this.files.values()].map(toLink);
  }

  get(uri: string): AppFile | undefined {
    return this.files.get(uri);
  }

  /** Return a result with links to the files of its call, which the app may read from now on. */
  link(result: CallToolResult, files: readonly AppFile[]): CallToolResult {
    const links = this.add(files);
    return links.length === 0 ? result : { ...result, _meta: { ...result._meta, [FILES_META]: links } };
  }

  /** Read a file, one at a time. Throws for all other addresses, for large files, and if the app reads too often. */
  async read(uri: string): Promise<ReadResourceResult> {
    const file = this.files.get(uri);
    if (!file) throw new Error("This app has no file with this address.");
    if (file.size > MAX_READ_BYTES) throw new Error(`An app can read at most ${MAX_READ_BYTES >> 20} MiB.`);
    this.count();
    const reading = this.last.then(() => this.fetchFile(file));
    this.last = reading.catch(() => undefined);
    return { contents: [{ uri, mimeType: file.mime, ...(await encode(await reading, file.mime)) }] };
  }

  private count(): void {
    const now = this.now();
    while (this.reads[0] !== undefined && this.reads[0] <= now - 60_000) this.reads.shift();
    if (this.reads.length >= MAX_READS_PER_MINUTE) throw new Error(`At most ${MAX_READS_PER_MINUTE} reads a minute.`);
    this.reads.push(now);
  }
}

function toUri({ file_key, version, name }: AppFile): string {
  return `satchel://files/${file_key}/${version}/${encodeURIComponent(name)}`;
}

function toLink(file: AppFile): ResourceLink {
  const { name, mime, size, role } = file;
  return { type: "resource_link", uri: toUri(file), name, mimeType: mime, size, _meta: { role } };
}

/** Return the content as text if it is text in UTF-8, otherwise as base64. */
async function encode(bytes: Uint8Array<ArrayBuffer>, mime: string): Promise<{ text: string } | { blob: string }> {
  if (/^text\/|[/+](json|xml)\b/.test(mime)) {
    try {
      return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
    } catch {
      // Not UTF-8: the app gets the bytes.
    }
  }
  return { blob: await toBase64(bytes) };
}

function toBase64(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => reject(reader.error ?? new Error("The file cannot be encoded."));
    reader.readAsDataURL(new Blob([bytes]));
  });
}

async function fetchAppFile(file: AppFile): Promise<Uint8Array<ArrayBuffer>> {
  const { bytes } = await fetchBytes(await fetchItem(file).then((item) => item.link()), file.size, MAX_READ_BYTES);
  return bytes;
}

async function fetchItem({ file_key, version }: AppFile) {
  const params = { path: { file_key }, query: { version, content: false } };
  return itemFromFile(await unwrap(api.GET("/api/files/{file_key}", { params })));
}

/** Where the files of an app or a dashboard are stored: its session, and for an app, the app as their source. */
export interface FileTarget {
  sessionId: string | null;
  app?: { key: string; tool: string };
}

/** Return the target of an app's files, which names the app as their source. */
export function toTarget(app: OpenApp): FileTarget {
  return { sessionId: app.session_id, app: { key: app.file_key, tool: app.tool_name } };
}

/** Save files: new bytes become files of the user, and the browser saves all. */
export async function saveFiles(target: FileTarget, files: AppFiles, offered: readonly Offered[]): Promise<void> {
  for (const one of offered) {
    const item = "file" in one ? await fetchItem(one.file) : await store(target, files, one);
    startDownload(await item.link(), item.name);
  }
}

async function store(target: FileTarget, files: AppFiles, { name, mime, bytes }: { name: string; mime: string; bytes: BlobPart }) {
  const record = await uploadFile(transport, new File([bytes], name, { type: mime }), target);
  files.add([{ ...record, role: "result" }]);
  toast(`${record.name} is in My Files.`);
  return itemFromFile(record);
}
