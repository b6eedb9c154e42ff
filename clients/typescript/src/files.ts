/** Files: upload, list, download, share and delete them. */
import { type DownloadOptions, downloadFile } from "./download.js";
import { pages } from "./pages.js";
import type { operations } from "./schema.js";
import { keyHeader, type RequestOptions, type Transport, unwrap } from "./transport.js";
import type { FileOut, LinkWithUrl, StoredFile, UploadOut } from "./types.js";
import { type UploadOptions, uploadFile } from "./upload.js";

const FILE = "/api/files/{file_key}";

export type FileFilter = Omit<NonNullable<operations["list_files"]["parameters"]["query"]>, "cursor" | "limit">;

/** The files of the signed-in user. */
export class Files {
  constructor(private readonly transport: Transport) {}

  /** Upload a file of any size and return its record. An interrupted upload of the same file continues. */
  async upload(content: Blob, options: UploadOptions = {}): Promise<FileOut> {
    return uploadFile(this.transport, content, options);
  }

  /** Return the content of a file as a stream, which continues after a lost connection. */
  download(file: StoredFile, options: DownloadOptions = {}): ReadableStream<Uint8Array<ArrayBuffer>> {
    return downloadFile(this.transport, file, options);
  }

  /** Yield the user's files, newest first; with `name_prefix`, sorted by name. */
  async *list(filter: FileFilter = {}): AsyncGenerator<FileOut, void, void> {
    const { api } = this.transport;
    const fetchPage = (query: { cursor?: string }) =>
      unwrap(api.GET("/api/files", { params: { query: { ...filter, ...query, limit: 100 } } }));
    for await (const page of pages(fetchPage)) yield* page.files;
  }

  /** Yield the user's unfinished uploads, newest first. */
  async *uploads(): AsyncGenerator<UploadOut, void, void> {
    const { api } = this.transport;
    for await (const page of pages((query) => unwrap(api.GET("/api/files/uploads", { params: { query } }))))
      yield* page.uploads;
  }

  /** Discard the stored parts of an unfinished upload. */
  async discard(upload_id: string): Promise<void> {
    await unwrap(this.transport.api.DELETE("/api/files/uploads/{upload_id}", { params: { path: { upload_id } } }));
  }

  /** Return the record of a file with a new download link. */
  async read(file_key: string, version?: number): Promise<FileOut> {
    const query = { content: false, ...(version !== undefined && { version }) };
    return unwrap(this.transport.api.GET(FILE, { params: { path: { file_key }, query } }));
  }

  /** Yield the versions of a file, newest first. */
  async *versions(file_key: string): AsyncGenerator<FileOut, void, void> {
    const { api } = this.transport;
    const fetchPage = (query: { cursor?: string }) =>
      unwrap(api.GET(`${FILE}/versions`, { params: { path: { file_key }, query } }));
    for await (const page of pages(fetchPage)) yield* page.versions;
  }

  /** Keep a deferred or temporary file, which would otherwise be deleted. */
  async keep(file_key: string): Promise<FileOut> {
    return unwrap(this.transport.api.POST(`${FILE}/keep`, { params: { path: { file_key } } }));
  }

  /** Delete a file with all its versions. */
  async delete(file_key: string): Promise<void> {
    await unwrap(this.transport.api.DELETE(FILE, { params: { path: { file_key } } }));
  }

  /** Create a link to a file's newest version. Anyone who has its URL can download the file until it expires. */
  async share(file_key: string, ttlSeconds = 3600, { idempotencyKey }: RequestOptions = {}): Promise<LinkWithUrl> {
    const params = { path: { file_key }, header: keyHeader(idempotencyKey) };
    return unwrap(this.transport.api.POST(`${FILE}/link`, { params, body: { ttl_seconds: ttlSeconds } }));
  }
}
