/** Lets My Files open a file in the canvas, even if the canvas is not loaded yet. */
import type { FileRecord } from "../api/types";

type Listener = (file: FileRecord) => void;

let pending: FileRecord | null = null;
let listener: Listener | null = null;

/** Open a file in the canvas, as soon as the canvas is loaded. */
export function showFile(file: FileRecord): void {
  if (listener) listener(file);
  else pending = file;
}

/** Handle requests to show a file, including a pending one. Return a function that unsubscribes. */
export function onShowFile(handler: Listener): () => void {
  listener = handler;
  if (pending) handler(pending);
  pending = null;
  return () => {
    if (listener === handler) listener = null;
  };
}
