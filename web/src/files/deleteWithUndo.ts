/** Delayed deletion: files are deleted when their toast disappears, unless the user chooses Undo before. */
import { api, unwrap } from "../api/client";
import type { FileRecord } from "../api/types";
import { showError, toast } from "../shared/notifications";

type OnSettled = (file: FileRecord, deleted: boolean) => void;

/** Requests at the same time. */
const PARALLEL = 4;

/** Files that are still to be deleted, by key. */
const pending = new Map<string, () => void>();

/** Delete files unless the user undoes it; then report for each file whether it was deleted. */
export function deleteWithUndo(files: readonly FileRecord[], onSettled: OnSettled): void {
  const added = files.filter(({ file_key }) => !pending.has(file_key));
  const [first] = added;
  if (!first) return;
  for (const file of added) pending.set(file.file_key, () => onSettled(file, false));
  const undo = () => {
    for (const file of added) takePending(file.file_key)?.();
  };
  const text = added.length === 1 ? `${first.name} deleted.` : `${added.length} files deleted.`;
  toast(text, { action: { label: "Undo", run: undo }, onDismiss: () => void deleteFiles(added, onSettled) });
}

async function deleteFiles(files: readonly FileRecord[], onSettled: OnSettled): Promise<void> {
  const queue = [...files];
  const work = async () => {
    for (let file = queue.shift(); file; file = queue.shift()) {
      if (!takePending(file.file_key)) continue;
      try {
        await requestDeletion(file.file_key);
        onSettled(file, true);
      } catch (error) {
        showError(error);
        onSettled(file, false);
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

async function requestDeletion(fileKey: string, keepalive = false): Promise<void> {
  await unwrap(api.DELETE("/api/files/{file_key}", { params: { path: { file_key: fileKey } }, keepalive }));
}

function takePending(fileKey: string): (() => void) | undefined {
  const undo = pending.get(fileKey);
  pending.delete(fileKey);
  return undo;
}

// Leaving the page is not an undo: delete what is pending.
globalThis.addEventListener?.("pagehide", () => {
  for (const fileKey of pending.keys()) requestDeletion(fileKey, true).catch(() => undefined);
  pending.clear();
});
