/** Upload of a file of any size (docs/transfers.md): in parallel parts, resuming an earlier attempt if there is one. */
import { ApiError, api, unwrap } from "../../api/client";
import type { FileRecord, PendingUpload } from "../../api/types";
import { findResumable, type Part, splitIntoParts } from "./parts";

/** Largest file for a single request; every deployment accepts that much. */
const MAX_SINGLE_REQUEST_BYTES = 1 << 20;
const PARALLEL_PARTS = 3;
const MAX_ATTEMPTS = 4;
const RETRY_DELAY_MS = 1_000;

export interface UploadRequest {
  file: File;
  sessionId: string | null;
  signal: AbortSignal;
  /** Called with the number of bytes sent so far, including those of an earlier attempt. */
  onProgress(bytes: number): void;
  /** Called with the upload's id once it exists; the id is needed to discard the upload. */
  onStarted(uploadId: string): void;
}

/** A failed PUT of a part. `status` 0 means that no response arrived. */
class PutError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = "PutError";
  }
}

/** Upload a file and return its record. Throws ApiError, PutError or AbortError. */
export async function uploadFile(request: UploadRequest): Promise<FileRecord> {
  return request.file.size <= MAX_SINGLE_REQUEST_BYTES ? uploadInOneRequest(request) : uploadInParts(request);
}

async function uploadInOneRequest({ file, sessionId, signal, onProgress }: UploadRequest): Promise<FileRecord> {
  const body = sessionId ? { file, session_id: sessionId } : { file };
  const record = await unwrap(api.POST("/api/files", { body, bodySerializer: toForm, signal }));
  onProgress(file.size);
  return record;
}

function toForm(body: { file: Blob; session_id?: string }): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.append(name, value);
  return form;
}

async function uploadInParts(request: UploadRequest): Promise<FileRecord> {
  const { file, sessionId, signal, onStarted } = request;
  const existing = await findExistingUpload(file, sessionId, signal);
  const upload = existing ?? (await createUpload(file, sessionId, signal));
  onStarted(upload.upload_id);
  const checksums = existing ? await fetchStoredChecksums(upload.upload_id, signal) : new Map<number, string | null>();
  await sendParts(request, upload, checksums);
  const path = { upload_id: upload.upload_id };
  return unwrap(api.POST("/api/files/uploads/{upload_id}/complete", { params: { path }, signal }));
}

async function createUpload(file: File, session_id: string | null, signal: AbortSignal): Promise<PendingUpload> {
  const body = { name: file.name, size: file.size, mime: file.type || null, session_id, sha256: [] };
  return unwrap(api.POST("/api/files/uploads", { body, signal }));
}

async function findExistingUpload(
  file: File,
  sessionId: string | null,
  signal: AbortSignal,
): Promise<PendingUpload | undefined> {
  const { uploads } = await unwrap(api.GET("/api/files/uploads", { params: { query: { limit: 100 } }, signal }));
  return findResumable(uploads, file, sessionId);
}

/** Return the checksums of the parts that are already stored, by part number. */
async function fetchStoredChecksums(upload_id: string, signal: AbortSignal): Promise<Map<number, string | null>> {
  const checksums = new Map<number, string | null>();
  for (let cursor: string | null = null; ; ) {
    const params = { path: { upload_id }, query: cursor ? { cursor } : {} };
    const page: PartsPage = await unwrap(api.GET("/api/files/uploads/{upload_id}", { params, signal }));
    for (const part of page.stored) checksums.set(part.number, part.sha256 ?? null);
    if (!page.cursor) return checksums;
    cursor = page.cursor;
  }
}

interface PartsPage {
  stored: readonly { number: number; sha256?: string | null }[];
  cursor?: string | null;
}

/** Send all parts, some in parallel; the first permanent failure aborts the others. */
async function sendParts(
  request: UploadRequest,
  upload: PendingUpload,
  checksums: Map<number, string | null>,
): Promise<void> {
  const abort = new AbortController();
  const signal = AbortSignal.any([request.signal, abort.signal]);
  const queue = splitIntoParts(request.file.size, upload.part_bytes);
  const sentBytes = new Map<number, number>();
  const report = (part: Part, bytes: number) => {
    sentBytes.set(part.number, bytes);
    request.onProgress([...sentBytes.values()].reduce((sum, each) => sum + each, 0));
  };
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const part = next;
      const onProgress = (bytes: number) => report(part, bytes);
      await sendPart(request.file, upload.upload_id, part, checksums.get(part.number), onProgress, signal);
    }
  };
  try {
    await Promise.all(Array.from({ length: PARALLEL_PARTS }, work));
  } finally {
    abort.abort();
  }
}

/** Send a part, unless the stored part has the same checksum. */
async function sendPart(
  file: File,
  uploadId: string,
  part: Part,
  storedChecksum: string | null | undefined,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const body = file.slice(part.start, part.end);
  const sha256 = await computeSha256(await body.arrayBuffer());
  if (storedChecksum !== sha256) {
    await withRetries(async () => {
      // Each attempt gets its own URL: the previous one may have expired.
      const { url, headers } = await presignPart(uploadId, part.number, sha256, signal);
      await putBlob(url, headers, body, onProgress, signal);
    }, signal);
  }
  onProgress(body.size);
}

async function presignPart(upload_id: string, number: number, sha256: string, signal: AbortSignal) {
  const params = { path: { upload_id } };
  const body = { parts: [{ number, sha256 }] };
  const { parts } = await unwrap(api.POST("/api/files/uploads/{upload_id}/parts", { params, body, signal }));
  const [part] = parts;
  if (!part) throw new PutError(0, "The server returned no upload URL.");
  return part;
}

/** Send a body by PUT. Uses XMLHttpRequest, because fetch reports no upload progress. Throws PutError or AbortError. */
function putBlob(
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
      settle(status < 300 ? resolve : () => reject(new PutError(status, `The file storage returned an error (${status}).`)));
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
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS * (MAX_ATTEMPTS - retriesLeft)));
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
