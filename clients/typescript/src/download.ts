/** Download of a file of any size: after a lost connection, it continues at the last byte that arrived. */
import { ApiError, noConnection, toApiError } from "./errors.js";
import { sleep } from "./sleep.js";
import { isPermanent, type Transport, unwrap } from "./transport.js";
import type { StoredFile } from "./types.js";

const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000];
const PARTIAL_CONTENT = 206;

export interface DownloadOptions {
  /** Number of bytes to skip, to continue an earlier download. */
  start?: number;
  signal?: AbortSignal;
  /** Called with the number of bytes received so far, including those that were skipped. */
  onProgress?(bytes: number): void;
}

/** Return the content of a file as a stream. Reading it throws ApiError, and AbortError if the signal ends it. */
export function downloadFile(
  transport: Transport,
  file: StoredFile,
  options: DownloadOptions = {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = new Download(transport, file, options).chunks();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return();
    },
  });
}

class Download {
  private offset: number;
  private readonly signal: AbortSignal;

  constructor(
    private readonly transport: Transport,
    private readonly file: StoredFile,
    private readonly options: DownloadOptions,
  ) {
    this.offset = options.start ?? 0;
    this.signal = options.signal ?? new AbortController().signal;
  }

  /** Yield the content. The delays start over when bytes have arrived. */
  async *chunks(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
    for (let attempt = 0; ; attempt += 1) {
      const before = this.offset;
      try {
        yield* this.receive(await this.link());
        return;
      } catch (error) {
        this.signal.throwIfAborted();
        if (this.offset > before) attempt = 0;
        const delay = RETRY_DELAYS_MS[attempt];
        if (delay === undefined || !(error instanceof ApiError) || isPermanent(error)) throw error;
        await sleep(delay, this.signal);
      }
    }
  }

  /** Return a new download link for each request: a link is valid for minutes, but a download may take hours. */
  private async link(): Promise<string> {
    const { file_key, version, name } = this.file;
    const params = { path: { file_key }, query: { content: false } };
    const newest = await unwrap(this.transport.api.GET("/api/files/{file_key}", { params, signal: this.signal }));
    if (newest.version !== version || !newest.download_url)
      throw new ApiError(409, "E_FILE_REPLACED", `${name} has changed in the meantime; download it again.`);
    return new URL(newest.download_url, this.transport.url || undefined).href;
  }

  private async *receive(link: string): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
    const response = await this.open(link);
    // A server that ignores the Range header sends the whole file.
    let skipped = response.status === PARTIAL_CONTENT ? 0 : this.offset;
    const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
    try {
      for (;;) {
        const { value, done } = await reader.read().catch(() => Promise.reject(noConnection()));
        if (done) return;
        const chunk = value.subarray(Math.min(skipped, value.length));
        skipped -= value.length - chunk.length;
        if (chunk.length === 0) continue;
        this.offset += chunk.length;
        this.options.onProgress?.(this.offset);
        yield chunk;
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  /** Request a link. It carries its own permission, so the request has no identity. */
  private async open(link: string): Promise<Response> {
    const headers = { ...(this.offset > 0 && { Range: `bytes=${this.offset}-` }) };
    const response = await fetch(link, { headers, signal: this.signal }).catch(() => Promise.reject(noConnection()));
    if (!response.ok) throw toApiError(response.status, await response.json().catch(() => null));
    return response;
  }
}
