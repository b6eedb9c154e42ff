/** The key of a local server: in the address that the server printed, then in this tab's session storage. */

export const MISSING_KEY =
  "This page needs the key of the server. Open the address that `make run` printed (it ends with #key=…). " +
  "Each start of the server prints a new one.";

const STORED_KEY = "satchel.key";
const KEY_HASH = /^#key=([\w.~-]+)$/;

/** Return the key, and remove it from the address bar. Throws if this tab has none. */
export function takeKey(): string {
  storeKeyFromAddress();
  addEventListener("hashchange", () => {
    // A new address that is pasted into an open tab changes only the hash, so the browser does not load the page again.
    if (storeKeyFromAddress()) location.reload();
  });
  const key = sessionStorage.getItem(STORED_KEY);
  if (key === null) throw new Error(MISSING_KEY);
  return key;
}

function storeKeyFromAddress(): boolean {
  const key = KEY_HASH.exec(location.hash)?.[1];
  if (key === undefined) return false;
  sessionStorage.setItem(STORED_KEY, key);
  history.replaceState(null, "", location.pathname);
  return true;
}
