/** The secret of a link to a shared chat. It is in the fragment of the address, which browsers send to no server. */
const SHARE_HASH = /^#share=([\w-]+)$/;

/** Return the secret in a fragment, or null if it is the fragment of another page. */
export function sharedToken(hash: string): string | null {
  return SHARE_HASH.exec(hash)?.[1] ?? null;
}

/** Load the page again when the user opens or leaves a shared chat in the same tab. */
export function reloadOnShareChange(): void {
  const token = sharedToken(location.hash);
  addEventListener("hashchange", () => {
    if (sharedToken(location.hash) !== token) location.reload();
  });
}
