/** Getting at the bytes of a file, never more of them than will be shown. Used by the page and by workers. */

export interface Head {
  answer: Response;
  /** Whether these are all the bytes. */
  whole: boolean;
}

/** Ask for a file's first bytes, `most` at most. Throws where it is not to be had. */
export async function openHead(address: string, size: number, most: number): Promise<Head> {
  const whole = size <= most;
  const headers: HeadersInit = whole ? {} : { Range: `bytes=0-${most - 1}` };
  const answer = await fetch(address, { headers, referrerPolicy: "no-referrer" });
  if (!answer.ok) throw new Error(said(answer.status));
  return { answer, whole };
}

/** Read a file's first bytes. */
export async function readHead(
  address: string,
  size: number,
  most: number,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; whole: boolean }> {
  const { answer, whole } = await openHead(address, size, most);
  return { bytes: new Uint8Array(await answer.arrayBuffer()), whole };
}

function said(status: number): string {
  return status === 404 ? "The file is not there any more." : `The file could not be read (${status}).`;
}
