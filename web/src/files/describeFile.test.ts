import { describe, expect, it } from "vitest";

import { describeContents, describeExpiry, formatTimeSpan } from "./describeFile";

describe("formatTimeSpan", () => {
  it.each([
    [20, "1 minute"],
    [60, "1 minute"],
    [89 * 60, "89 minutes"],
    [5 * 3600, "5 hours"],
    [35 * 3600, "35 hours"],
    [48 * 3600, "2 days"],
    [72 * 3600 - 20, "3 days"],
  ])("formats %d seconds as %s", (seconds, text) => {
    expect(formatTimeSpan(seconds)).toBe(text);
  });
});

describe("describeExpiry", () => {
  it("describes files that expire, and returns null for files that do not", () => {
    const now = Date.parse("2026-08-27T09:30:00Z") / 1000;
    expect(describeExpiry({ expires_at: "2026-08-29T09:30:00Z", temporary: false }, now)).toBe("Expires in 2 days");
    expect(describeExpiry({ expires_at: "2026-08-27T09:30:00Z", temporary: false }, now)).toBe("Expired");
    expect(describeExpiry({ expires_at: null, temporary: true }, now)).toBe("Deleted with the chat");
    expect(describeExpiry({ expires_at: null, temporary: false }, now)).toBeNull();
  });
});

describe("describeContents", () => {
  it.each([
    [{ rows: 1000, columns: 3 }, "1,000 rows, 3 columns"],
    [{ rows: 1_234_567, columns: 1, estimated: true }, "about 1,234,567 rows, 1 column"],
    [{ width: 800, height: 600 }, "800 × 600 pixels"],
    [{ pages: 1 }, "1 page"],
    [{ rows: 0, columns: 2 }, "0 rows, 2 columns"],
    [{}, ""],
  ])("describes %j as %j", (info, text) => {
    expect(describeContents({ estimated: false, ...info })).toBe(text);
  });
});
