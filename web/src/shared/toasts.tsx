/** Short messages that come and go by themselves; screen readers are told each. */
import { useSyncExternalStore } from "react";

export interface Toast {
  id: number;
  text: string;
  kind: "note" | "error";
  /** Something that can still be done about it. */
  action?: { label: string; run(): void };
}

const SHOWN_MS = 6_000;
let shown: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

/** Show a message for some seconds; returns what takes it away sooner. */
export function toast(text: string, more: Partial<Omit<Toast, "id" | "text">> & { ms?: number } = {}): () => void {
  const { ms = SHOWN_MS, ...rest } = more;
  const made: Toast = { id: ++last, text, kind: "note", ...rest };
  const dismiss = () => change(shown.filter((one) => one.id !== made.id));
  change([...shown, made]);
  setTimeout(dismiss, ms);
  return dismiss;
}

/** Say what went wrong. */
export function explain(error: unknown): void {
  toast(error instanceof Error ? error.message : String(error), { kind: "error" });
}

export function Toasts() {
  const toasts = useSyncExternalStore(listen, () => shown);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((one) => (
        <ToastLine key={one.id} toast={one} />
      ))}
    </div>
  );
}

function ToastLine({ toast: { id, text, kind, action } }: { toast: Toast }) {
  const dismiss = () => change(shown.filter((one) => one.id !== id));
  return (
    <div className={`toast ${kind}`}>
      <span>{text}</span>
      {action && (
        <button
          type="button"
          onClick={() => {
            action.run();
            dismiss();
          }}
        >
          {action.label}
        </button>
      )}
      <button type="button" className="plain" aria-label="Dismiss" onClick={dismiss}>
        ×
      </button>
    </div>
  );
}

function change(next: readonly Toast[]): void {
  shown = next;
  for (const tell of listeners) tell();
}

function listen(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}
