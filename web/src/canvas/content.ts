/** Download of a file's content, limited to the bytes that are shown. Used by the page and by workers. */

export interface PartialContent {
  response: Response;
  /** True if the response holds the whole file. */
  isComplete: boolean;
}

/** Request at most the first `maxBytes` of a file of `size` bytes. Throws if the file is not available. */
export async function fetchContent(url: string, size: number, maxBytes: number): Promise<PartialContent> {
  const isComplete = size <= maxBytes;
  const headers: HeadersInit = isComplete ? {} : { Range: `bytes=0-${maxBytes - 1}` };
  const response = await fetch(url, { headers, referrerPolicy: "no-referrer" });
  if (!response.ok) throw new Error(describeStatus(response.status));
  return { response, isComplete };
}

/** Read at most the first `maxBytes` of a file of `size` bytes. Throws if the file is not available. */
export async function fetchBytes(
  url: string,
  size: number,
  maxBytes: number,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; isComplete: boolean }> {
  const { response, isComplete } = await fetchContent(url, size, maxBytes);
  return { bytes: new Uint8Array(await response.arrayBuffer()), isComplete };
}

function describeStatus(status: number): string {
  return status === 404 ? "This file no longer exists." : `Can't load this file (error ${status}).`;
}
