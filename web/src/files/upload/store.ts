/** Uploads of this page: they go on whatever is shown meanwhile. */
import type { FileOut } from "../../api/types";
import { api, ask } from "../../api/client";
import { messageOf } from "../../shared/errors";
import { send } from "./send";

export interface Upload {
  id: number;
  file: File;
  sessionId: string | null;
  sent: number;
  state: "going" | "failed" | "done";
  /** Why it failed. */
  error: string | null;
}

type Done = (file: FileOut) => void;

let uploads: readonly Upload[] = [];
let last = 0;
const listeners = new Set<() => void>();
const controls = new Map<number, { abort: AbortController; uploadId: string | null; done: Done }>();

export function listUploads(): readonly Upload[] {
  return uploads;
}

/** Be told of each change; returns what ends it. */
export function onUploads(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

/** Send a file; `done` is told when it is there. */
export function startUpload(file: File, sessionId: string | null, done: Done): void {
  last += 1;
  uploads = [...uploads, { id: last, file, sessionId, sent: 0, state: "going", error: null }];
  controls.set(last, { abort: new AbortController(), uploadId: null, done });
  tellAll();
  void run(last);
}

/** Try again; what has come is not sent again. */
export function resumeUpload(id: number): void {
  const control = controls.get(id);
  if (!control) return;
  control.abort = new AbortController();
  change(id, { state: "going", error: null });
  void run(id);
}

/** Give an upload up, with what has come of it; or take one that is over off the list. */
export function cancelUpload(id: number): void {
  const upload = uploads.find((one) => one.id === id);
  const control = controls.get(id);
  uploads = uploads.filter((one) => one.id !== id);
  controls.delete(id);
  tellAll();
  control?.abort.abort();
  if (control?.uploadId && upload?.state !== "done") void forget(control.uploadId);
}

async function run(id: number): Promise<void> {
  const control = controls.get(id);
  const upload = uploads.find((one) => one.id === id);
  if (!control || !upload) return;
  const { file, sessionId } = upload;
  const onSent = (sent: number) => change(id, { sent });
  const onBegun = (uploadId: string) => {
    control.uploadId = uploadId;
  };
  try {
    const made = await send({ file, sessionId, signal: control.abort.signal, onSent, onBegun });
    change(id, { state: "done", sent: file.size });
    control.done(made);
  } catch (error) {
    if (controls.has(id)) change(id, { state: "failed", error: messageOf(error) });
  }
}

/** What is not given up here is gone after a day. */
async function forget(upload_id: string): Promise<void> {
  const gone = ask(api.DELETE("/api/files/uploads/{upload_id}", { params: { path: { upload_id } } }));
  await gone.catch(() => undefined);
}

function change(id: number, to: Partial<Upload>): void {
  uploads = uploads.map((one) => (one.id === id ? { ...one, ...to } : one));
  tellAll();
}

function tellAll(): void {
  for (const tell of listeners) tell();
}
