import { useLayoutEffect, useState } from "react";

import { errorMessage } from "../shared/notifications";

export type AsyncState<T> =
  | { status: "loading" }
  | { status: "loaded"; value: T }
  | { status: "failed"; message: string };

/** Load a value once per `key`; a result for an earlier key is dropped. Loading begins before the browser paints. */
export function useAsync<T>(key: string, load: () => Promise<T>): AsyncState<T> {
  const [result, setResult] = useState<{ key: string; state: AsyncState<T> }>();
  useLayoutEffect(() => {
    let cancelled = false;
    load().then(
      (value) => cancelled || setResult({ key, state: { status: "loaded", value } }),
      (error: unknown) => cancelled || setResult({ key, state: { status: "failed", message: errorMessage(error) } }),
    );
    return () => {
      cancelled = true;
    };
  }, [key]);
  return result?.key === key ? result.state : { status: "loading" };
}
