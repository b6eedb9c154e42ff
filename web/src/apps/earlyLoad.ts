/** Loads the app of a result as soon as its event arrives, before the page has drawn the event and opened the canvas. */
import type { TurnEvent } from "../api/types";

type LoadApp = (file: { file_key: string; version: number }) => Promise<unknown>;

let loadApp: LoadApp = async (file) => (await import("./loadApp")).loadApp(file);

/** Load apps without a wait for the code that does it. */
export function setLoadApp(load: LoadApp): void {
  loadApp = load;
}

export function loadAppOf(event: TurnEvent): void {
  if (event.type !== "intermediate_update" || event.update_type !== "files_update") return;
  for (const file of event.files) {
    if ("viewer" in file && file.viewer === "app") loadApp(file).catch(() => undefined); // the viewer shows the error
  }
}
