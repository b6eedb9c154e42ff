import { type ReactNode, useEffect, useRef } from "react";
import { texts } from "../texts";

interface DialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
}

/** Modal dialog. The browser traps the focus inside it and closes it on Escape. */
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

interface ConfirmDialogProps {
  title: string;
  /** The consequences of confirming. */
  children: ReactNode;
  /** Label of the confirming button. */
  action: string;
  onConfirm(): void;
  onClose(): void;
}

/** Ask for confirmation before an action that cannot be undone. */
export function ConfirmDialog({ title, children, action, onConfirm, onClose }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <form method="dialog" className="row end">
        <button type="submit" autoFocus>
          {texts.shared.cancel}
        </button>
        <button type="submit" className="danger" onClick={onConfirm}>
          {action}
        </button>
      </form>
    </Dialog>
  );
}
