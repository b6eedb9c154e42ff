/** Files that an app gives to the user: they become files of the session, and the browser saves them. */
import { startDownload } from "../canvas/DownloadButton";
import { itemFromFile } from "../canvas/item";
import { uploadFile } from "../files/upload/uploadFile";
import type { AppFile } from "./session";

export async function saveFiles(sessionId: string | null, files: readonly AppFile[]): Promise<void> {
  for (const { name, mime, bytes } of files) {
    const file = new File([bytes], name, { type: mime });
    const { signal } = new AbortController();
    const record = await uploadFile({ file, sessionId, signal, onProgress: () => undefined, onStarted: () => undefined });
    startDownload(await itemFromFile(record).link(), record.name);
  }
}
