/** What is read from the API and changed here as well: what is changed during a read outlasts its answer. */
import { useMemo, useState } from "react";

/** Gives the same when it is done again: the answer may have it already. */
export type Change<T> = (value: T) => T;

export interface Reading<T> {
  value: T;
  change(by: Change<T>): void;
  /** Take in what comes; `take` is given what is known by then. Rejects as `coming` does. */
  read<A>(coming: Promise<A>, take: (known: T, answer: A) => T): Promise<void>;
}

/** Without this a link made while the list of links is read would go from the list with the older answer. */
export function useReading<T>(start: T): Reading<T> {
  const [value, setValue] = useState(start);
  const reading = useMemo(() => {
    const reads = new Reads<T>();
    return {
      change(by: Change<T>) {
        reads.note(by);
        setValue(by);
      },
      async read<A>(coming: Promise<A>, take: (known: T, answer: A) => T) {
        const [answer, changed] = await reads.wait(coming);
        setValue((known) => changed(take(known, answer)));
      },
    };
  }, []);
  return { value, ...reading };
}

/** The reads that are under way, each with the changes made since it began. */
export class Reads<T> {
  readonly #running = new Set<Change<T>[]>();

  note(by: Change<T>): void {
    for (const changes of this.#running) changes.push(by);
  }

  /** Return the answer, and all the changes made until it came as one. */
  async wait<A>(coming: Promise<A>): Promise<[A, Change<T>]> {
    const changes: Change<T>[] = [];
    this.#running.add(changes);
    try {
      return [await coming, (value) => changes.reduce((changed, by) => by(changed), value)];
    } finally {
      this.#running.delete(changes);
    }
  }
}
