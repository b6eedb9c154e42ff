/** What is said to those who do not see the page change. */
import { useSyncExternalStore } from "react";

let said = "";
const listeners = new Set<() => void>();

/** Have a screen reader say something when it has nothing else to say. */
export function announce(text: string): void {
  said = text;
  for (const tell of listeners) tell();
}

export function Announcer() {
  const text = useSyncExternalStore(listen, () => said);
  return (
    <div className="unseen" role="log" aria-live="polite" aria-label="News">
      {text}
    </div>
  );
}

function listen(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}
