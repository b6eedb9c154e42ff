/** Files that an app gives to the user: they become files of the session, and the browser saves them. */
import { uploadFile } from "@satchel/client";
import { transport } from "../api/client";
import { startDownload } from "../canvas/DownloadButton";
import { itemFromFile } from "../canvas/item";
import type { AppFile } from "./session";

export async function saveFiles(sessionId: string | null, files: readonly AppFile[]): Promise<void> {
  for (const { name, mime, bytes } of files) {
    const file = new File([bytes], name, { type: mime });
    const record = await uploadFile(transport, file, { sessionId });
    startDownload(await itemFromFile(record).link(), record.name);
  }
}
