/** A file of any size on its way (docs/transfers.md): parts side by side, going on where an attempt was broken off. */
import { ApiError, api, ask } from "../../api/client";
import type { UploadOut } from "../../api/schema";
import type { FileOut } from "../../api/types";
import { type Part, partsOf, resumable } from "./parts";
import { PutError, put } from "./put";

/** What fits into one request on every deployment. */
const SMALL_BYTES = 1 << 20;
const AT_ONCE = 3;
const ATTEMPTS = 4;
const PAUSE_MS = 1_000;

export interface Sending {
  file: File;
  sessionId: string | null;
  signal: AbortSignal;
  /** Told how many bytes have gone, those of an earlier attempt included. */
  onSent(bytes: number): void;
  /** Told the upload's id, by which it can be given up for good. */
  onBegun(uploadId: string): void;
}

/** Send a file and return what it is there. Throws ApiError, PutError, AbortError. */
export async function send(sending: Sending): Promise<FileOut> {
  return sending.file.size <= SMALL_BYTES ? sendAtOnce(sending) : sendInParts(sending);
}

async function sendAtOnce({ file, sessionId, signal, onSent }: Sending): Promise<FileOut> {
  const form = new FormData();
  form.append("file", file, file.name);
  if (sessionId) form.append("session_id", sessionId);
  const body = form as never; // two kinds of body are taken; the schema's type is of the other
  const made = await ask(api.POST("/api/files", { body, bodySerializer: (given: unknown) => given as FormData, signal }));
  onSent(file.size);
  return made;
}

async function sendInParts(sending: Sending): Promise<FileOut> {
  const { file, sessionId, signal, onBegun } = sending;
  const known = await resumed(file, sessionId, signal);
  const upload = known ?? (await begun(file, sessionId, signal));
  onBegun(upload.upload_id);
  const stored = known ? await storedParts(upload.upload_id, signal) : new Map<number, string | null>();
  await sendAll(sending, upload, stored);
  const path = { upload_id: upload.upload_id };
  return ask(api.POST("/api/files/uploads/{upload_id}/complete", { params: { path }, signal }));
}

async function begun(file: File, session_id: string | null, signal: AbortSignal): Promise<UploadOut> {
  const body = { name: file.name, size: file.size, mime: file.type || null, session_id, sha256: [] };
  return ask(api.POST("/api/files/uploads", { body, signal }));
}

async function resumed(file: File, sessionId: string | null, signal: AbortSignal): Promise<UploadOut | undefined> {
  const { uploads } = await ask(api.GET("/api/files/uploads", { params: { query: { limit: 100 } }, signal }));
  return resumable(uploads, file, sessionId);
}

/** Return the checksums of the parts that have come, by number. */
async function storedParts(upload_id: string, signal: AbortSignal): Promise<Map<number, string | null>> {
  const found = new Map<number, string | null>();
  for (let cursor: string | null = null; ; ) {
    const params = { path: { upload_id }, query: cursor ? { cursor } : {} };
    const page: Page = await ask(api.GET("/api/files/uploads/{upload_id}", { params, signal }));
    for (const part of page.stored) found.set(part.number, part.sha256 ?? null);
    if (!page.cursor) return found;
    cursor = page.cursor;
  }
}

interface Page {
  stored: readonly { number: number; sha256?: string | null }[];
  cursor?: string | null;
}

/** Some parts at a time; the first that fails for good ends the others. */
async function sendAll(sending: Sending, upload: UploadOut, stored: Map<number, string | null>): Promise<void> {
  const ending = new AbortController();
  const signal = AbortSignal.any([sending.signal, ending.signal]);
  const waiting = partsOf(sending.file.size, upload.part_bytes);
  const gone = new Map<number, number>();
  const tell = (part: Part, bytes: number) => {
    gone.set(part.number, bytes);
    sending.onSent([...gone.values()].reduce((sum, each) => sum + each, 0));
  };
  const work = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      const one = part;
      await sendPart(sending.file, upload.upload_id, one, stored.get(one.number), (bytes) => tell(one, bytes), signal);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    ending.abort();
  }
}

async function sendPart(
  file: File,
  uploadId: string,
  part: Part,
  stored: string | null | undefined,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const body = file.slice(part.start, part.end);
  const sha256 = await checksum(await body.arrayBuffer());
  if (stored !== sha256) {
    await patiently(async () => {
      const { url, headers } = await signed(uploadId, part.number, sha256, signal);
      await put(url, headers, body, onSent, signal);
    }, signal);
  }
  onSent(body.size);
}

/** Each attempt with an address of its own: that of the one before may have run out. */
async function signed(upload_id: string, number: number, sha256: string, signal: AbortSignal) {
  const params = { path: { upload_id } };
  const body = { parts: [{ number, sha256 }] };
  const { parts } = await ask(api.POST("/api/files/uploads/{upload_id}/parts", { params, body, signal }));
  const [part] = parts;
  if (!part) throw new PutError(0, "The part was not signed.");
  return part;
}

async function patiently(attempt: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let left = ATTEMPTS - 1; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !isPassing(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * (ATTEMPTS - left)));
      signal.throwIfAborted();
    }
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 0 || error.status >= 500;
  return error instanceof PutError && error.isPassing;
}

async function checksum(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return btoa(String.fromCharCode(...digest));
}
