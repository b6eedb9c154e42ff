import { useEffect, useState } from "react";
import { startGuard } from "./guard";

/** Return true until the user has pressed nothing for a moment since `subject` appeared. */
export function useGuard(subject: unknown): boolean {
  const [isGuarded, setGuarded] = useState(true);
  useEffect(() => {
    setGuarded(true);
    return startGuard(window, () => setGuarded(false));
  }, [subject]);
  return isGuarded;
}
