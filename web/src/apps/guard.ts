/** Time in which a button that has just appeared accepts no click: the user may be about to click something else. */
export const GUARD_MS = 600;

/** Call `onEnd` when the user has pressed nothing for a moment. Return the function that stops waiting. */
export function startGuard(page: EventTarget, onEnd: () => void): () => void {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const restart = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      stop.abort();
      onEnd();
    }, GUARD_MS);
  };
  restart();
  page.addEventListener("pointerdown", restart, { capture: true, signal: stop.signal });
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}
