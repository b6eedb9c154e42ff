/** Connection state: false after a request that got no response, true after the next one that did. */
import { useSyncExternalStore } from "react";

let connected = true;
const listeners = new Set<() => void>();

export function setConnected(isConnected: boolean): void {
  if (isConnected === connected) return;
  connected = isConnected;
  for (const notify of listeners) notify();
}

export function useConnected(): boolean {
  return useSyncExternalStore(subscribe, () => connected);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
