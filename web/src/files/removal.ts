/** Deleting, with some seconds in which it can be taken back: only then the file is deleted. */
import { api, ask } from "../api/client";
import type { FileOut } from "../api/types";
import { messageOf } from "../shared/errors";
import { toast } from "../shared/toasts";

const UNDO_MS = 6_000;

interface Removal {
  timer: ReturnType<typeof setTimeout>;
  dismiss(): void;
  settled(deleted: boolean): void;
}

const waiting = new Map<string, Removal>();

/** Delete a file unless it is taken back; `settled` is told whether it was deleted. */
export function removeSoon(file: FileOut, settled: (deleted: boolean) => void): void {
  if (waiting.has(file.file_key)) return;
  const action = { label: "Undo", run: () => undo(file.file_key) };
  const dismiss = toast(`${file.name} is deleted.`, { action, ms: UNDO_MS });
  const timer = setTimeout(() => void remove(file.file_key), UNDO_MS);
  waiting.set(file.file_key, { timer, dismiss, settled });
}

function undo(fileKey: string): void {
  const removal = taken(fileKey);
  removal?.settled(false);
}

async function remove(fileKey: string, keepalive = false): Promise<void> {
  const removal = taken(fileKey);
  try {
    await ask(api.DELETE("/api/files/{file_key}", { params: { path: { file_key: fileKey } }, keepalive }));
    removal?.settled(true);
  } catch (error) {
    toast(messageOf(error), { kind: "error" });
    removal?.settled(false);
  }
}

function taken(fileKey: string): Removal | undefined {
  const removal = waiting.get(fileKey);
  waiting.delete(fileKey);
  clearTimeout(removal?.timer);
  removal?.dismiss();
  return removal;
}

// Who leaves the page has not taken it back.
globalThis.addEventListener?.("pagehide", () => {
  for (const fileKey of waiting.keys()) void remove(fileKey, true);
});
