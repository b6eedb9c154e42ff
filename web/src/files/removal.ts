/** Deleting, with some seconds in which it can be taken back: only then the file is deleted. */
import { api, ask } from "../api/client";
import type { FileOut } from "../api/types";
import { explain, toast } from "../shared/toasts";

type Settled = (deleted: boolean) => void;

const waiting = new Map<string, Settled>();

/** Delete a file unless it is taken back while its message is shown; `settled` is told whether it was deleted. */
export function removeSoon({ file_key: fileKey, name }: FileOut, settled: Settled): void {
  if (waiting.has(fileKey)) return;
  waiting.set(fileKey, settled);
  const undo = () => taken(fileKey)?.(false);
  toast(`${name} is deleted.`, { action: { label: "Undo", run: undo }, onGone: () => void remove(fileKey) });
}

async function remove(fileKey: string, keepalive = false): Promise<void> {
  const settled = taken(fileKey);
  if (!settled) return;
  try {
    await ask(api.DELETE("/api/files/{file_key}", { params: { path: { file_key: fileKey } }, keepalive }));
    settled(true);
  } catch (error) {
    explain(error);
    settled(false);
  }
}

function taken(fileKey: string): Settled | undefined {
  const settled = waiting.get(fileKey);
  waiting.delete(fileKey);
  return settled;
}

// Who leaves the page has not taken it back.
globalThis.addEventListener?.("pagehide", () => {
  for (const fileKey of waiting.keys()) void remove(fileKey, true);
});
