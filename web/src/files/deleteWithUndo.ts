/** Delayed deletion: a file is deleted when its toast disappears, unless the user chooses Undo before. */
import { api, unwrap } from "../api/client";
import type { FileRecord } from "../api/types";
import { showError, toast } from "../shared/notifications";

type OnSettled = (deleted: boolean) => void;

/** Files that are still to be deleted, by key. */
const pending = new Map<string, OnSettled>();

/** Delete a file unless the user undoes it; then report whether the file was deleted. */
export function deleteWithUndo({ file_key: fileKey, name }: FileRecord, onSettled: OnSettled): void {
  if (pending.has(fileKey)) return;
  pending.set(fileKey, onSettled);
  const undo = () => takePending(fileKey)?.(false);
  toast(`${name} deleted.`, { action: { label: "Undo", run: undo }, onDismiss: () => void deleteFile(fileKey) });
}

async function deleteFile(fileKey: string, keepalive = false): Promise<void> {
  const onSettled = takePending(fileKey);
  if (!onSettled) return;
  try {
    await unwrap(api.DELETE("/api/files/{file_key}", { params: { path: { file_key: fileKey } }, keepalive }));
    onSettled(true);
  } catch (error) {
    showError(error);
    onSettled(false);
  }
}

function takePending(fileKey: string): OnSettled | undefined {
  const onSettled = pending.get(fileKey);
  pending.delete(fileKey);
  return onSettled;
}

// Leaving the page is not an undo: delete what is pending.
globalThis.addEventListener?.("pagehide", () => {
  for (const fileKey of pending.keys()) void deleteFile(fileKey, true);
});
