/** Toasts (short messages that disappear by themselves) and announcements for screen readers. F8 focuses the newest toast. */
import { type FocusEvent, type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { texts } from "../texts";

export interface Toast {
  id: number;
  text: string;
  kind: "note" | "error";
  /** A button in the toast, such as Undo. */
  action?: { label: string; run(): void };
  /** Called when the toast disappears without its action. */
  onDismiss?(): void;
}

const DURATION_MS = 6_000;
const FOCUS_KEY = "F8";
const visibleToasts = createStore<readonly Toast[]>([]);
const announcement = createStore("");
let lastId = 0;

/** Show a toast for six seconds, or longer while a toast has the focus. */
export function toast(text: string, options: Partial<Omit<Toast, "id" | "text">> = {}): void {
  visibleToasts.set([...visibleToasts.get(), { id: ++lastId, text, kind: "note", ...options }]);
}

/** Show an error toast. */
export function showError(error: unknown): void {
  toast(errorMessage(error), { kind: "error" });
}

/** Run an action of the user; show a toast if it fails. */
export async function withErrorToast(action: () => Promise<void>): Promise<void> {
  await action().catch(showError);
}

/** Return the text that describes an error. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Have screen readers speak a text after what they are reading now. */
export function announce(text: string): void {
  announcement.set(text);
}

/** Live region for announcements; only screen readers notice it. */
export function Announcer() {
  const text = useSyncExternalStore(announcement.subscribe, announcement.get);
  return (
    <div className="visually-hidden" role="log" aria-live="polite" aria-label={texts.shared.announcements}>
      {text}
    </div>
  );
}

/** The focused element in a toast, and the element that had the focus before. */
interface ToastFocus {
  element: Element;
  previous: Element | null;
}

/** Live region with all visible toasts. */
export function Toasts() {
  const toasts = useSyncExternalStore(visibleToasts.subscribe, visibleToasts.get);
  const [focus, setFocus] = useState<ToastFocus | null>(null);
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const focusNewest = (event: globalThis.KeyboardEvent): void => {
      if (event.key === FOCUS_KEY) region.current?.querySelector<HTMLElement>(".toast:last-child button")?.focus();
    };
    addEventListener("keydown", focusNewest);
    return () => removeEventListener("keydown", focusNewest);
  }, []);
  useLayoutEffect(() => {
    if (focus === null || focus.element.isConnected) return;
    setFocus(null);
    if (focus.previous instanceof HTMLElement) focus.previous.focus();
  }, [toasts, focus]);
  const onFocus = ({ target, relatedTarget, currentTarget }: FocusEvent): void => {
    const isInside = currentTarget.contains(relatedTarget);
    setFocus((before) => ({ element: target, previous: isInside ? (before?.previous ?? null) : relatedTarget }));
  };
  const onBlur = ({ relatedTarget, currentTarget }: FocusEvent): void => {
    if (!currentTarget.contains(relatedTarget)) setFocus(null);
  };
  return (
    <div
      ref={region}
      className="toasts"
      role="status"
      aria-live="polite"
      aria-keyshortcuts={FOCUS_KEY}
      onFocus={onFocus}
      onBlur={onBlur}
    >
      {toasts.map((one) => (
        <ToastView key={one.id} toast={one} isPaused={focus !== null} />
      ))}
    </div>
  );
}

function ToastView({ toast, isPaused }: { toast: Toast; isPaused: boolean }) {
  useEffect(() => {
    if (isPaused) return;
    const timer = setTimeout(() => dismiss(toast), DURATION_MS);
    return () => clearTimeout(timer);
  }, [toast, isPaused]);
  const { text, kind, action } = toast;
  return (
    <div className={`toast ${kind}`} onKeyDown={(event: KeyboardEvent) => event.key === "Escape" && dismiss(toast)}>
      <span>{text}</span>
      {action && (
        <button
          type="button"
          onClick={() => {
            remove(toast);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <button type="button" className="plain" aria-label={texts.shared.dismiss} onClick={() => dismiss(toast)}>
        ×
      </button>
    </div>
  );
}

function dismiss(toast: Toast): void {
  remove(toast);
  toast.onDismiss?.();
}

function remove(toast: Toast): void {
  visibleToasts.set(visibleToasts.get().filter((one) => one !== toast));
}

/** Hold a value for `useSyncExternalStore`. */
function createStore<T>(value: T) {
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next: T): void {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
