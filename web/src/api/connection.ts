/** Whether the server can be reached, as far as the last request tells. */
import { useSyncExternalStore } from "react";

let connected = true;
const listeners = new Set<() => void>();

export function setConnected(now: boolean): void {
  if (now === connected) return;
  connected = now;
  for (const tell of listeners) tell();
}

export function useConnected(): boolean {
  return useSyncExternalStore(listen, () => connected);
}

function listen(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}
