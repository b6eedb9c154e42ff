/** Short messages that come and go by themselves; screen readers are told each. F8 goes to the newest of them. */
import { type FocusEvent, type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";

export interface Toast {
  id: number;
  text: string;
  kind: "note" | "error";
  /** Something that can still be done about it. */
  action?: { label: string; run(): void };
  /** It is gone, and nothing was done about it. */
  onGone?(): void;
}

const SHOWN_MS = 6_000;
const KEY = "F8";
let shown: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

/** Show a message for some seconds, or for as long as it has the focus. */
export function toast(text: string, more: Partial<Omit<Toast, "id" | "text">> = {}): void {
  change([...shown, { id: ++last, text, kind: "note", ...more }]);
}

/** Say what went wrong. */
export function explain(error: unknown): void {
  toast(error instanceof Error ? error.message : String(error), { kind: "error" });
}

/** What of the messages has the focus, and what had it before. */
interface Focus {
  at: Element;
  from: Element | null;
}

export function Toasts() {
  const toasts = useSyncExternalStore(listen, () => shown);
  const [focus, setFocus] = useState<Focus | null>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const go = (event: globalThis.KeyboardEvent): void => {
      if (event.key === KEY) box.current?.querySelector<HTMLElement>(".toast:last-child button")?.focus();
    };
    addEventListener("keydown", go);
    return () => removeEventListener("keydown", go);
  }, []);
  useLayoutEffect(() => {
    if (focus === null || focus.at.isConnected) return;
    setFocus(null);
    if (focus.from instanceof HTMLElement) focus.from.focus();
  }, [toasts, focus]);
  const enter = ({ target, relatedTarget, currentTarget }: FocusEvent): void => {
    const inside = currentTarget.contains(relatedTarget);
    setFocus((before) => ({ at: target, from: inside ? (before?.from ?? null) : relatedTarget }));
  };
  const leave = ({ relatedTarget, currentTarget }: FocusEvent): void => {
    if (!currentTarget.contains(relatedTarget)) setFocus(null);
  };
  return (
    <div ref={box} className="toasts" role="status" aria-live="polite" aria-keyshortcuts={KEY} onFocus={enter} onBlur={leave}>
      {toasts.map((one) => (
        <ToastLine key={one.id} toast={one} stays={focus !== null} />
      ))}
    </div>
  );
}

function ToastLine({ toast, stays }: { toast: Toast; stays: boolean }) {
  useEffect(() => {
    if (stays) return;
    const timer = setTimeout(() => dismiss(toast), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast, stays]);
  const { text, kind, action } = toast;
  return (
    <div className={`toast ${kind}`} onKeyDown={(event: KeyboardEvent) => event.key === "Escape" && dismiss(toast)}>
      <span>{text}</span>
      {action && (
        <button
          type="button"
          onClick={() => {
            take(toast);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <button type="button" className="plain" aria-label="Dismiss" onClick={() => dismiss(toast)}>
        ×
      </button>
    </div>
  );
}

function dismiss(toast: Toast): void {
  take(toast);
  toast.onGone?.();
}

function take(toast: Toast): void {
  change(shown.filter((one) => one !== toast));
}

function change(next: readonly Toast[]): void {
  shown = next;
  for (const tell of listeners) tell();
}

function listen(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}
