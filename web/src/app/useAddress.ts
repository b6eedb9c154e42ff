/** Which session is looked at stands in the address (`#s…`), so that reload and the back button keep it. */
import { useCallback, useSyncExternalStore } from "react";

const SESSION = /^#(s[0-9A-Za-z_-]+)$/;

export function useAddress(): [string | null, (sessionId: string | null) => void] {
  const sessionId = useSyncExternalStore(listen, () => SESSION.exec(location.hash)?.[1] ?? null);
  const go = useCallback((to: string | null) => {
    location.hash = to ?? "";
  }, []);
  return [sessionId, go];
}

function listen(tell: () => void): () => void {
  addEventListener("hashchange", tell);
  return () => removeEventListener("hashchange", tell);
}
