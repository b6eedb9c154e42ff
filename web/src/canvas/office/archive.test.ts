import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";

import { ArchiveError, type ArchiveLimits, pack, unpack } from "./archive";

const LIMITS: ArchiveLimits = { entries: 3, total: 1_000, xml: 100 };
const everything = () => true;

function faultOf(bytes: Uint8Array): string {
  try {
    unpack(bytes, everything, LIMITS);
  } catch (error) {
    return error instanceof ArchiveError ? error.fault : String(error);
  }
  return "none";
}

/** Overwrite the unpacked size that the directory of an archive with one entry states. */
function withStatedSize(archive: Uint8Array, size: number): Uint8Array {
  const bytes = archive.slice();
  const view = new DataView(bytes.buffer);
  for (let offset = 0; offset + 4 <= bytes.length; offset += 1) {
    if (view.getUint32(offset, true) === 0x02014b50) view.setUint32(offset + 24, size, true);
  }
  return bytes;
}

describe("unpack", () => {
  it("returns the wanted entries", () => {
    const archive = zipSync({ "a.xml": strToU8("<a/>"), "b.bin": strToU8("b") });
    expect(unpack(archive, (path) => path.endsWith(".xml"), LIMITS)).toEqual({ "a.xml": strToU8("<a/>") });
  });

  it.each([
    ["more entries than allowed", { a: new Uint8Array(), b: new Uint8Array(), c: new Uint8Array(), d: new Uint8Array() }],
    ["more bytes than allowed", { a: new Uint8Array(600), b: new Uint8Array(600) }],
    ["a longer XML file than allowed", { "a.xml": new Uint8Array(101) }],
  ])("unpacks nothing of an archive with %s", (_, entries) => {
    expect(faultOf(zipSync(entries))).toBe("too-large");
  });

  it("gives an entry no more memory than it states", () => {
    const archive = withStatedSize(zipSync({ a: new Uint8Array(100_000) }), 10);
    expect(unpack(archive, everything, LIMITS)["a"]?.length).toBe(10);
  });

  it("reports a file that is no archive", () => {
    expect(faultOf(strToU8("not an archive"))).toBe("damaged");
  });
});

describe("pack", () => {
  it("stores entries without compression", () => {
    const packed = pack({ a: new Uint8Array(500) });
    expect(packed.length).toBeGreaterThan(500);
    expect(unpack(packed, everything, LIMITS)["a"]?.length).toBe(500);
  });
});
