import type { ButtonHTMLAttributes, MouseEvent } from "react";

interface PausableButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** It does nothing for now. */
  paused: boolean;
}

/** A button that does nothing at times, and keeps the focus then: browsers take it from one that is `disabled`. */
export function PausableButton({ paused, onClick, ...rest }: PausableButtonProps) {
  const press = (event: MouseEvent<HTMLButtonElement>): void => {
    if (paused) event.preventDefault();
    else onClick?.(event);
  };
  return <button type="button" {...rest} aria-disabled={paused || undefined} onClick={press} />;
}
