/** Pass a value on when it arrives, and ignore errors: without completion the user can still type. Return a cancel function. */
export function onLoaded<Value>(pending: Promise<Value>, set: (value: Value) => void): () => void {
  let cancelled = false;
  pending.then(
    (loaded) => cancelled || set(loaded),
    () => undefined,
  );
  return () => {
    cancelled = true;
  };
}
