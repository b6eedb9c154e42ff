import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { downloadFile } from "./download.js";
import { createTransport } from "./transport.js";
import type { FileOut } from "./types.js";

const CONTENT = "month,sales";
const FILE = { file_key: "f1", version: 1, name: "sales.csv", download_url: "/api/files/download/f1?token=t" } as FileOut;

let newest: FileOut = FILE;
let ranges: (string | null)[] = [];

/** Return the content from the offset that a Range header names. The first response breaks after `cutAfter` bytes. */
function serve(cutAfter: number, acceptsRanges = true) {
  return async (_url: string, { headers }: { headers: Record<string, string> }): Promise<Response> => {
    const range = headers.Range ?? null;
    ranges.push(range);
    const start = range && acceptsRanges ? Number(/\d+/.exec(range)?.[0]) : 0;
    const bytes = new TextEncoder().encode(CONTENT.slice(start, ranges.length === 1 ? start + cutAfter : undefined));
    const isCut = ranges.length === 1;
    let isSent = false;
    const body = new ReadableStream({
      pull(controller) {
        if (!isSent) controller.enqueue(bytes);
        else if (isCut) controller.error(new TypeError("cut"));
        else controller.close();
        isSent = true;
      },
    });
    return new Response(body, { status: start > 0 ? 206 : 200 });
  };
}

async function download(options = {}): Promise<string> {
  const transport = createTransport({ url: "http://here.example", fetch: async () => Response.json(newest) });
  const text = new Response(downloadFile(transport, FILE, options)).text();
  text.catch(() => undefined);
  await vi.runAllTimersAsync();
  return text;
}

beforeEach(() => {
  vi.useFakeTimers();
  newest = FILE;
  ranges = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("downloadFile", () => {
  it("continues at the last byte that arrived after a lost connection", async () => {
    vi.stubGlobal("fetch", serve(5));
    expect(await download()).toBe(CONTENT);
    expect(ranges).toEqual([null, "bytes=5-"]);
  });

  it("skips what it has if the server ignores the Range header", async () => {
    vi.stubGlobal("fetch", serve(5, false));
    expect(await download()).toBe(CONTENT);
  });

  it("continues an earlier download", async () => {
    vi.stubGlobal("fetch", serve(100));
    expect(await download({ start: 6 })).toBe("sales");
    expect(ranges[0]).toBe("bytes=6-");
  });

  it("throws if the file got another version in the meantime", async () => {
    newest = { ...FILE, version: 2 };
    await expect(download()).rejects.toMatchObject({ code: "E_FILE_REPLACED" });
  });
});
