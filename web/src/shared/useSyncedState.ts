/** State that is loaded from the API and also changed locally: a stale response never undoes a newer local change. */
import { useMemo, useState } from "react";

/** A local change. It must be idempotent, because the response may already include it. */
export type Change<T> = (value: T) => T;

export interface SyncedState<T> {
  value: T;
  update(change: Change<T>): void;
  /** Merge a response into the current value, or return that to ignore the response. Rejects if the request does. */
  read<A>(request: Promise<A>, merge: (current: T, response: A) => T): Promise<void>;
  /** The same for a value that is read again and again: a response that a later request has overtaken is ignored. */
  readLatest<A>(request: Promise<A>, merge: (current: T, response: A) => T): Promise<void>;
}

/** Without it, a link created while the list of links loads would vanish when the older list arrives. */
export function useSyncedState<T>(initial: T): SyncedState<T> {
  const [value, setValue] = useState(initial);
  const actions = useMemo(() => {
    const requests = new PendingRequests<T>();
    let latest = 0;
    const read = async <A>(request: Promise<A>, merge: (current: T, response: A) => T): Promise<void> => {
      const [response, reapply] = await requests.track(request);
      setValue((current) => {
        const merged = merge(current, response);
        return merged === current ? current : reapply(merged);
      });
    };
    return {
      read,
      update(change: Change<T>) {
        requests.record(change);
        setValue(change);
      },
      readLatest<A>(request: Promise<A>, merge: (current: T, response: A) => T) {
        latest += 1;
        const number = latest;
        return read(request, (current, response: A) => (number === latest ? merge(current, response) : current));
      },
    };
  }, []);
  return { value, ...actions };
}

/** The requests in flight, each with the local changes made since it started. */
export class PendingRequests<T> {
  readonly #changeLists = new Set<Change<T>[]>();

  /** Record a local change for every request in flight. */
  record(change: Change<T>): void {
    for (const changes of this.#changeLists) changes.push(change);
  }

  /** Return the response, and one change that reapplies all local changes made until it arrived. */
  async track<A>(request: Promise<A>): Promise<[A, Change<T>]> {
    const changes: Change<T>[] = [];
    this.#changeLists.add(changes);
    try {
      return [await request, (value) => changes.reduce((changed, change) => change(changed), value)];
    } finally {
      this.#changeLists.delete(changes);
    }
  }
}
