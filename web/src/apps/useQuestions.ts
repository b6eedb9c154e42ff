import { useCallback, useRef, useState } from "react";
import { isInUse } from "./attention";
import type { Question } from "./session";

interface OpenQuestion {
  question: Question;
  answer(allowed: boolean): void;
}

interface Questions {
  open: OpenQuestion | null;
  /** Ask the user; resolves to true if the user allows the request of the app in the frame. */
  ask(frame: HTMLIFrameElement, question: Question): Promise<boolean>;
  /** Forget that the user denied a request. */
  reset(): void;
}

/** The questions of an app: one at a time, and after a denial none before the user has used the app again. */
export function useQuestions(): Questions {
  const [open, setOpen] = useState<OpenQuestion | null>(null);
  const isAsking = useRef(false);
  const isDenied = useRef(false);
  const ask = useCallback((frame: HTMLIFrameElement, question: Question): Promise<boolean> => {
    if (isAsking.current || (isDenied.current && !isInUse(frame))) return Promise.resolve(false);
    isAsking.current = true;
    return new Promise((resolve) => {
      const answer = (allowed: boolean): void => {
        isAsking.current = false;
        isDenied.current = !allowed;
        setOpen(null);
        resolve(allowed);
      };
      setOpen({ question, answer });
    });
  }, []);
  const reset = useCallback(() => (isDenied.current = false), []);
  return { open, ask, reset };
}
