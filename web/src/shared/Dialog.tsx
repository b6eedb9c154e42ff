import { type ReactNode, useEffect, useRef } from "react";

interface DialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
}

/** A question before the page; Escape closes it, and the browser keeps the focus inside. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** What will happen. */
  children: ReactNode;
  action: string;
  onConfirm(): void;
  onClose(): void;
}

/** Asks before something happens that cannot be taken back. */
export function Confirm({ title, children, action, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <form method="dialog" className="row end">
        <button type="submit" autoFocus>
          Keep it
        </button>
        <button type="submit" className="danger" onClick={onConfirm}>
          {action}
        </button>
      </form>
    </Dialog>
  );
}
