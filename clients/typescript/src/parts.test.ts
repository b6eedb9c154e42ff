import { describe, expect, it } from "vitest";

import { findResumable, splitIntoParts } from "./parts.js";

describe("splitIntoParts", () => {
  it("covers every byte exactly once", () => {
    expect(splitIntoParts(5, 2)).toEqual([
      { number: 1, start: 0, end: 2 },
      { number: 2, start: 2, end: 4 },
      { number: 3, start: 4, end: 5 },
    ]);
    expect(splitIntoParts(4, 2).at(-1)).toEqual({ number: 2, start: 2, end: 4 });
    expect(splitIntoParts(0, 2)).toEqual([{ number: 1, start: 0, end: 0 }]);
  });
});

describe("findResumable", () => {
  it("returns an upload only if name, size and session are equal", () => {
    const upload = { name: "a.csv", size: 5, session_id: "s1", upload_id: "u1" };
    expect(findResumable([upload], { name: "a.csv", size: 5 }, "s1")).toBe(upload);
    expect(findResumable([upload], { name: "a.csv", size: 6 }, "s1")).toBeUndefined();
    expect(findResumable([upload], { name: "a.csv", size: 5 }, null)).toBeUndefined();
  });
});
