/** Wait; end early when the browser comes back online or the signal aborts. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    globalThis.addEventListener?.("online", wake, { once: true });
    signal.addEventListener("abort", wake, { once: true });
    if (signal.aborted) wake();
  });
}
