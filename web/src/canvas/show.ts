/** The way from My Files to the canvas: a file that somebody wants to look at. */
import type { FileOut } from "../api/types";

type Listener = (file: FileOut) => void;

let waiting: FileOut | null = null;
let listener: Listener | null = null;

/** Show a file in the canvas, as soon as there is one. */
export function showFile(file: FileOut): void {
  if (listener) listener(file);
  else waiting = file;
}

/** Be told of files to show; returns what ends it. */
export function onShowFile(tell: Listener): () => void {
  listener = tell;
  if (waiting) tell(waiting);
  waiting = null;
  return () => {
    if (listener === tell) listener = null;
  };
}
