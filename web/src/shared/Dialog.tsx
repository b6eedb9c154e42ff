import { type ReactNode, useEffect, useRef } from "react";
import { texts } from "../texts";
import { Icon } from "./Icon";

interface DialogProps {
  title: string;
  /** Class of a dialog with a size of its own. It has a button that closes it. */
  className?: string;
  onClose(): void;
  children: ReactNode;
}

/** Modal dialog. The browser traps the focus inside it and closes it on Escape. */
export function Dialog({ title, className, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
  }, []);
  return (
    <dialog ref={element} className={className} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {className ? <div className="dialog-body">{children}</div> : children}
      {className && (
        // The last element, so that the dialog opens with the focus on its first control.
        <button type="button" className="plain dialog-close" aria-label={texts.shared.close} onClick={() => element.current?.close()}>
          <Icon name="close" />
        </button>
      )}
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
