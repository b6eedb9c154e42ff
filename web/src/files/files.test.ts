import { describe, expect, it } from "vitest";

import { leaving, span } from "./expiry";
import { factsOf } from "./facts";
import { fitting, mentionAt, mentioned, mentionOf } from "./mentions";
import { partsOf, resumable } from "./upload/parts";

describe("how long a file is there", () => {
  it.each([
    [20, "1 minute"],
    [60, "1 minute"],
    [89 * 60, "89 minutes"],
    [5 * 3600, "5 hours"],
    [35 * 3600, "35 hours"],
    [48 * 3600, "2 days"],
    [72 * 3600 - 20, "3 days"],
  ])("is told of %d seconds as %s", (seconds, said) => {
    expect(span(seconds)).toBe(said);
  });

  it("is told of files that go, and only of those", () => {
    const now = 1_000_000;
    expect(leaving({ expires_at: now + 2 * 86_400, temporary: false }, now)).toBe("gone in 2 days");
    expect(leaving({ expires_at: now, temporary: false }, now)).toBe("gone");
    expect(leaving({ expires_at: null, temporary: true }, now)).toBe("goes with the session");
    expect(leaving({ expires_at: null, temporary: false }, now)).toBeNull();
  });
});

describe("what was read from a file", () => {
  it.each([
    [{ rows: 1000, columns: 3 }, "1,000 rows, 3 columns"],
    [{ rows: 1_234_567, columns: 1, estimated: true }, "about 1,234,567 rows, 1 column"],
    [{ width: 800, height: 600 }, "800 × 600 pixels"],
    [{ pages: 1 }, "1 page"],
    [{ rows: 0, columns: 2 }, "0 rows, 2 columns"],
    [{}, ""],
  ])("is said of %j", (info, said) => {
    expect(factsOf({ estimated: false, ...info })).toBe(said);
  });
});

describe("a mention", () => {
  it.each([
    ["look at @sal", 12, "sal"],
    ["@", 1, ""],
    ['see @"my fi', 11, "my fi"],
    ["(@a", 3, "a"],
    ["mail me@example.com", 19, null],
    ["@one two", 8, null],
    ["@one", 2, "o"],
  ])("of %j at %d is %j", (text, caret, typed) => {
    expect(mentionAt(text, caret)?.typed ?? null).toBe(typed);
  });

  it("is written with quotes where the name needs them", () => {
    expect([mentionOf("a.csv"), mentionOf("my file.csv"), mentionOf('a"b.csv')]).toEqual(["@a.csv", '@"my file.csv"', '@"ab.csv"']);
  });

  it("takes the place of what was typed", () => {
    const text = "sum @sal now";
    const place = mentionAt(text, 8);
    expect(place && mentioned(text, place, 8, "sales.csv")).toEqual(["sum @sales.csv now", 15]);
  });

  it("offers names that begin so before names that hold it, each once", () => {
    expect(fitting(["resale.csv", "Sales.csv", "x.txt", "Sales.csv"], "sal", 5)).toEqual(["Sales.csv", "resale.csv"]);
  });
});

describe("an upload in parts", () => {
  it("covers every byte once", () => {
    expect(partsOf(5, 2)).toEqual([
      { number: 1, start: 0, end: 2 },
      { number: 2, start: 2, end: 4 },
      { number: 3, start: 4, end: 5 },
    ]);
    expect(partsOf(4, 2).at(-1)).toEqual({ number: 2, start: 2, end: 4 });
    expect(partsOf(0, 2)).toEqual([{ number: 1, start: 0, end: 0 }]);
  });

  it("is gone on with where name, size and session are the same", () => {
    const known = { name: "a.csv", size: 5, session_id: "s1", upload_id: "u1" };
    expect(resumable([known], { name: "a.csv", size: 5 }, "s1")).toBe(known);
    expect(resumable([known], { name: "a.csv", size: 6 }, "s1")).toBeUndefined();
    expect(resumable([known], { name: "a.csv", size: 5 }, null)).toBeUndefined();
  });
});
