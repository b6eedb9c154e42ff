import type { ButtonHTMLAttributes, MouseEvent } from "react";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  disabled: boolean;
}

/** Button that keeps the keyboard focus while disabled. It sets `aria-disabled`: the native `disabled` drops the focus. */
export function Button({ disabled, onClick, ...rest }: ButtonProps) {
  const handleClick = (event: MouseEvent<HTMLButtonElement>): void => {
    if (disabled) event.preventDefault();
    else onClick?.(event);
  };
  return <button type="button" {...rest} aria-disabled={disabled || undefined} onClick={handleClick} />;
}
