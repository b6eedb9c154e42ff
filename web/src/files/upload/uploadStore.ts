/** Store of the page's uploads. They continue while other parts of the page are shown. */
import { uploadFile } from "@satchel/client";
import { api, transport, unwrap } from "../../api/client";
import type { FileRecord } from "../../api/types";
import { errorMessage } from "../../shared/notifications";

export interface Upload {
  id: number;
  file: File;
  sessionId: string | null;
  /** Bytes sent. */
  sent: number;
  state: "uploading" | "failed" | "done";
  /** Cause of a failure. */
  error: string | null;
}

interface UploadControl {
  abort: AbortController;
  uploadId: string | null;
  onDone: (file: FileRecord) => void;
}

let uploads: readonly Upload[] = [];
let lastId = 0;
const listeners = new Set<() => void>();
const controls = new Map<number, UploadControl>();

export function listUploads(): readonly Upload[] {
  return uploads;
}

/** Call a listener on each change. Return a function that unsubscribes it. */
export function subscribeToUploads(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Start to upload a file; `onDone` receives its record. */
export function startUpload(file: File, sessionId: string | null, onDone: (file: FileRecord) => void): void {
  lastId += 1;
  uploads = [...uploads, { id: lastId, file, sessionId, sent: 0, state: "uploading", error: null }];
  controls.set(lastId, { abort: new AbortController(), uploadId: null, onDone });
  notify();
  void run(lastId);
}

/** Retry a failed upload; parts that are already stored are not sent again. */
export function resumeUpload(id: number): void {
  const control = controls.get(id);
  if (!control) return;
  control.abort = new AbortController();
  update(id, { state: "uploading", error: null });
  void run(id);
}

/** Cancel an upload and discard its stored parts; a finished upload is only removed from the list. */
export function cancelUpload(id: number): void {
  const upload = uploads.find((each) => each.id === id);
  const control = controls.get(id);
  uploads = uploads.filter((each) => each.id !== id);
  controls.delete(id);
  notify();
  control?.abort.abort();
  if (control?.uploadId && upload?.state !== "done") void discard(control.uploadId);
}

async function run(id: number): Promise<void> {
  const control = controls.get(id);
  const upload = uploads.find((each) => each.id === id);
  if (!control || !upload) return;
  const { file, sessionId } = upload;
  const onProgress = (sent: number) => update(id, { sent });
  const onStarted = (uploadId: string) => {
    control.uploadId = uploadId;
  };
  try {
    const record = await uploadFile(transport, file, { sessionId, signal: control.abort.signal, onProgress, onStarted });
    update(id, { state: "done", sent: file.size });
    control.onDone(record);
  } catch (error) {
    if (controls.has(id)) update(id, { state: "failed", error: errorMessage(error) });
  }
}

/** Discard the stored parts. Best effort: the server discards unfinished uploads after a day. */
async function discard(upload_id: string): Promise<void> {
  const request = unwrap(api.DELETE("/api/files/uploads/{upload_id}", { params: { path: { upload_id } } }));
  await request.catch(() => undefined);
}

function update(id: number, changes: Partial<Upload>): void {
  uploads = uploads.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload));
  notify();
}

/** Ask before the page is left during an upload. */
addEventListener("beforeunload", (event) => {
  if (uploads.some(({ state }) => state === "uploading")) event.preventDefault();
});

function notify(): void {
  for (const listener of listeners) listener();
}
