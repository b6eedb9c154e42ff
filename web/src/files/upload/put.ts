/** One part on its way to the store. By XMLHttpRequest: fetch tells nothing of how far a body has gone. */

/** The store refused a part, or could not be reached. */
export class PutError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = "PutError";
  }

  /** Whether it may work when it is tried again. */
  get isPassing(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

/** Send bytes to an address. `onSent` is told how many have gone. Throws PutError, or AbortError when it is given up. */
export function put(
  address: string,
  headers: Record<string, string>,
  body: Blob,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const giveUp = () => request.abort();
    const end = (then: () => void) => {
      signal.removeEventListener("abort", giveUp);
      then();
    };
    request.open("PUT", address);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      const { status } = request;
      end(status < 300 ? resolve : () => reject(new PutError(status, `The store answered with ${status}.`)));
    };
    request.onerror = () => end(() => reject(new PutError(0, "The store cannot be reached.")));
    request.onabort = () => end(() => reject(new DOMException("given up", "AbortError")));
    signal.throwIfAborted();
    signal.addEventListener("abort", giveUp);
    request.send(body);
  });
}
