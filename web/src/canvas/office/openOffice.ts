/** Reads Office files in a worker, which ends with the result or after a time limit. */
import { texts } from "../../texts";
import type { OfficeAnswer, OfficeKind, OfficeRequest, OfficeResults } from "./office.worker";

const MAX_MILLISECONDS = 30_000;

/** Return what can be shown of a file. Throws an error for the user if it is damaged or unpacks to too much. */
export function openOffice<Kind extends OfficeKind>(kind: Kind, bytes: Uint8Array<ArrayBuffer>): Promise<OfficeResults[Kind]> {
  const worker = new Worker(new URL("./office.worker.ts", import.meta.url), { type: "module" });
  const answer = new Promise<OfficeResults[Kind]>((resolve, reject) => {
    const fail = (fault: "damaged" | "too-large"): void => reject(new Error(texts.office.faults[fault]));
    const timer = setTimeout(() => fail("too-large"), MAX_MILLISECONDS);
    worker.onerror = () => fail("damaged");
    worker.onmessage = ({ data }: MessageEvent<OfficeAnswer>) => {
      clearTimeout(timer);
      if ("fault" in data) fail(data.fault);
      else resolve(data.result as OfficeResults[Kind]);
    };
  });
  worker.postMessage({ kind, bytes: bytes.buffer } satisfies OfficeRequest);
  return answer.finally(() => worker.terminate());
}
