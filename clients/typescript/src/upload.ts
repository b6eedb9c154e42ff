/** Upload of a file of any size (docs/transfers.md): in parallel parts, resuming an earlier attempt if there is one. */
import { ApiError } from "./errors.js";
import { pages } from "./pages.js";
import { findResumable, type Part, splitIntoParts } from "./parts.js";
import type { FileOut, SignedPart, UploadOut } from "./schema.js";
import { sleep } from "./sleep.js";
import { keyHeader, type RequestOptions, type Transport, unwrap } from "./transport.js";

/** Largest file for a single request; every deployment accepts that much. */
const MAX_SINGLE_REQUEST_BYTES = 1 << 20;
const PARALLEL_PARTS = 3;
const MAX_ATTEMPTS = 4;
const RETRY_DELAY_MS = 1_000;

export interface UploadOptions extends RequestOptions {
  /** Name of the file; by default that of a `File`. */
  name?: string;
  /** Session that the file belongs to; without one it belongs to the user only. */
  sessionId?: string | null;
  /** The app that creates the file: its key, and the full name of its tool. */
  app?: { key: string; tool: string };
  signal?: AbortSignal;
  /** Called with the number of bytes sent so far, including those of an earlier attempt. */
  onProgress?(bytes: number): void;
  /** Called with the upload's id if the file is sent in parts; the id is needed to discard the upload. */
  onStarted?(uploadId: string): void;
}

/** A failed PUT of a part. `status` 0 means that no response arrived. */
export class PutError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = "PutError";
  }
}

/**
 * Upload a file and return its record. A large file is sent in parts; the upload of a file with the same name, size and
 * session that was interrupted continues. Throws ApiError, PutError or AbortError.
 */
export async function uploadFile(transport: Transport, content: Blob, options: UploadOptions = {}): Promise<FileOut> {
  const name = options.name ?? (content instanceof File ? content.name : "");
  if (!name) throw new TypeError("The content of a file needs a name.");
  const upload = new Upload(transport, content, name, options);
  return content.size <= MAX_SINGLE_REQUEST_BYTES ? upload.inOneRequest() : upload.inParts();
}

interface UploadForm {
  file: Blob;
  session_id?: string;
  app_key?: string;
}

class Upload {
  private readonly api: Transport["api"];
  private readonly sessionId: string | null;
  private readonly signal: AbortSignal;

  constructor(
    transport: Transport,
    private readonly content: Blob,
    private readonly name: string,
    private readonly options: UploadOptions,
  ) {
    this.api = transport.api;
    this.sessionId = options.sessionId ?? null;
    this.signal = options.signal ?? new AbortController().signal;
  }

  async inOneRequest(): Promise<FileOut> {
    const { content, sessionId, signal } = this;
    const { app } = this.options;
    const fields = { ...(sessionId && { session_id: sessionId }), ...(app && { app_key: app.key }) };
    const body: UploadForm = { file: content, ...fields };
    const bodySerializer = (): FormData => {
      const form = new FormData();
      form.append("file", content, this.name);
      for (const [field, value] of Object.entries(fields)) form.append(field, value);
      return form;
    };
    const record = await unwrap(this.api.POST("/api/files", { body, bodySerializer, signal, params: this.key }));
    this.options.onProgress?.(content.size);
    return record;
  }

  async inParts(): Promise<FileOut> {
    const params = { path: { upload_id: await this.sendMissingParts() } };
    return unwrap(this.api.POST("/api/files/uploads/{upload_id}/complete", { params, signal: this.signal }));
  }

  /** Send what the server does not have, and return the id of the upload. */
  private async sendMissingParts(): Promise<string> {
    const existing = await this.findExisting();
    let upload: UploadOut;
    try {
      upload = existing ?? (await this.create());
    } catch (error) {
      // An earlier request with the key has completed its upload.
      if (error instanceof ApiError && error.code === "E_UPLOAD_NOT_FOUND") return String(error.problem?.upload_id);
      throw error;
    }
    const { upload_id } = upload;
    this.options.onStarted?.(upload_id);
    const checksums = existing ? await this.fetchStoredChecksums(upload_id) : new Map<number, string | null>();
    await this.sendParts(upload, checksums);
    return upload_id;
  }

  private async create(): Promise<UploadOut> {
    const { content, name, sessionId, signal } = this;
    const file = { name, size: content.size, mime: content.type || null };
    const body = { ...file, session_id: sessionId, app_key: this.options.app?.key ?? null, sha256: [] };
    return unwrap(this.api.POST("/api/files/uploads", { body, signal, params: this.key }));
  }

  private get key(): { header: { "idempotency-key"?: string } } {
    return { header: keyHeader(this.options.idempotencyKey) };
  }

  private async findExisting(): Promise<UploadOut | undefined> {
    const params = { query: { limit: 100 } };
    const { uploads } = await unwrap(this.api.GET("/api/files/uploads", { params, signal: this.signal }));
    return findResumable(uploads, { name: this.name, size: this.content.size }, this.sessionId, this.options.app?.tool);
  }

  /** Return the checksums of the parts that are already stored, by part number. */
  private async fetchStoredChecksums(upload_id: string): Promise<Map<number, string | null>> {
    const stored = pages((query) =>
      unwrap(
        this.api.GET("/api/files/uploads/{upload_id}", {
          params: { path: { upload_id }, query },
          signal: this.signal,
        }),
      ),
    );
    const checksums = new Map<number, string | null>();
    for await (const page of stored) for (const part of page.stored) checksums.set(part.number, part.sha256);
    return checksums;
  }

  /** Send all parts, some in parallel; the first permanent failure aborts the others. */
  private async sendParts(upload: UploadOut, checksums: Map<number, string | null>): Promise<void> {
    const abort = new AbortController();
    const signal = AbortSignal.any([this.signal, abort.signal]);
    const queue = splitIntoParts(this.content.size, upload.part_bytes);
    const sentBytes = new Map<number, number>();
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const part = next;
        const onProgress = (bytes: number): void => {
          sentBytes.set(part.number, bytes);
          this.options.onProgress?.([...sentBytes.values()].reduce((sum, each) => sum + each, 0));
        };
        await this.sendPart(upload.upload_id, part, checksums.get(part.number), onProgress, signal);
      }
    };
    try {
      await Promise.all(Array.from({ length: PARALLEL_PARTS }, work));
    } finally {
      abort.abort();
    }
  }

  /** Send a part, unless the stored part has the same checksum. */
  private async sendPart(
    uploadId: string,
    part: Part,
    storedChecksum: string | null | undefined,
    onProgress: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const body = this.content.slice(part.start, part.end);
    const sha256 = await computeSha256(await body.arrayBuffer());
    if (storedChecksum !== sha256) {
      await withRetries(async () => {
        // Each attempt gets its own URL: the previous one may have expired.
        const { url, headers } = await this.presign(uploadId, part.number, sha256, signal);
        await putBlob(url, headers, body, onProgress, signal);
      }, signal);
    }
    onProgress(body.size);
  }

  private async presign(upload_id: string, number: number, sha256: string, signal: AbortSignal): Promise<SignedPart> {
    const params = { path: { upload_id } };
    const body = { parts: [{ number, sha256 }] };
    const { parts } = await unwrap(this.api.POST("/api/files/uploads/{upload_id}/parts", { params, body, signal }));
    const [part] = parts;
    if (!part) throw new PutError(0, "The server returned no upload URL.");
    return part;
  }
}

/** Send a body by PUT. Throws PutError or AbortError. */
async function putBlob(
  url: string,
  headers: Record<string, string>,
  body: Blob,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  if (typeof XMLHttpRequest !== "undefined") return putBlobWithProgress(url, headers, body, onProgress, signal);
  const response = await fetch(url, { method: "PUT", headers, body, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new PutError(0, `Can't reach the file storage (${error}).`);
  });
  if (!response.ok) throw refused(response.status);
}

function refused(status: number): PutError {
  return new PutError(status, `The file storage returned an error (${status}).`);
}

/** Send a body by PUT. Uses XMLHttpRequest, because the fetch of browsers reports no upload progress. */
function putBlobWithProgress(
  url: string,
  headers: Record<string, string>,
  body: Blob,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    const settle = (callback: () => void) => {
      signal.removeEventListener("abort", abort);
      callback();
    };
    request.open("PUT", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => {
      const { status } = request;
      settle(status < 300 ? resolve : () => reject(refused(status)));
    };
    request.onerror = () => settle(() => reject(new PutError(0, "Can't reach the file storage.")));
    request.onabort = () => settle(() => reject(new DOMException("upload canceled", "AbortError")));
    signal.throwIfAborted();
    signal.addEventListener("abort", abort);
    request.send(body);
  });
}

async function withRetries(attempt: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let retriesLeft = MAX_ATTEMPTS - 1; ; retriesLeft -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (retriesLeft === 0 || !isTransient(error)) throw error;
      await sleep(RETRY_DELAY_MS * (MAX_ATTEMPTS - retriesLeft), signal);
      signal.throwIfAborted();
    }
  }
}

/** Return true if a retry may succeed. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof ApiError || error instanceof PutError)) return false;
  const isRateLimit = error instanceof ApiError && error.problem?.quota === "requests_per_second";
  return error.status === 0 || error.status >= 500 || isRateLimit;
}

async function computeSha256(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return btoa(String.fromCharCode(...digest));
}
