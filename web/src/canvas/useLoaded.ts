import { useEffect, useState } from "react";
import { messageOf } from "../shared/errors";

export type Loaded<T> = { state: "loading" } | { state: "there"; value: T } | { state: "failed"; message: string };

/** Load something once for each `key`; what comes too late is dropped. */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [loaded, setLoaded] = useState<{ key: string; result: Loaded<T> }>();
  useEffect(() => {
    let wanted = true;
    load().then(
      (value) => wanted && setLoaded({ key, result: { state: "there", value } }),
      (error: unknown) => wanted && setLoaded({ key, result: { state: "failed", message: messageOf(error) } }),
    );
    return () => {
      wanted = false;
    };
  }, [key]);
  return loaded?.key === key ? loaded.result : { state: "loading" };
}
