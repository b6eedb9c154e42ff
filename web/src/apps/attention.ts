/**
 * Where the user's attention is. Browsers let an app in a frame take the focus at any time, and tell the page only that
 * the focus has moved there. So the page watches what the user did just before.
 */

/** An app that takes the focus this soon after the user typed gets what the user types next. */
const TYPING_MS = 5_000;
/** On touch screens, the page hears of no tap on the app. */
const TOUCH_TYPING_MS = 1_000;
const TAB_MS = 500;
const TEXT_FIELDS = "textarea, input, [contenteditable]";

/** Return true if the focus is in the frame and the user has just clicked or typed. */
export function isInUse(frame: HTMLIFrameElement): boolean {
  return document.activeElement === frame && navigator.userActivation.isActive;
}

/** Call `onTheft` if the app takes the focus from a text field while the user types. Return the function that stops. */
export function watchFocus(frame: HTMLIFrameElement, onTheft: () => void): () => void {
  const stop = new AbortController();
  const listen = { capture: true, signal: stop.signal };
  let typedAt = -Infinity;
  let tabbedAt = -Infinity;
  let isPointedAt = false;
  const onKey = ({ key, target }: KeyboardEvent): void => {
    if (key === "Tab") tabbedAt = performance.now();
    else if (target instanceof Element && target.matches(TEXT_FIELDS)) typedAt = performance.now();
  };
  const onBlur = (): void => {
    const now = performance.now();
    const limit = matchMedia("(hover: none)").matches ? TOUCH_TYPING_MS : TYPING_MS;
    const isByUser = isPointedAt || now - tabbedAt < TAB_MS || now - typedAt > limit;
    if (document.activeElement === frame && !isByUser) onTheft();
  };
  addEventListener("keydown", onKey, listen);
  addEventListener("pointerdown", () => (typedAt = -Infinity), listen);
  addEventListener("blur", onBlur, { signal: stop.signal });
  frame.addEventListener("pointerenter", () => (isPointedAt = true), listen);
  frame.addEventListener("pointerleave", () => (isPointedAt = false), listen);
  return () => stop.abort();
}
