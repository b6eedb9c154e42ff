import { describe, expect, it } from "vitest";

import { findAll } from "./textMatches";

describe("findAll", () => {
  it.each([
    ["Ana and ana", "ANA", [0, 8]],
    ["aaaa", "aa", [0, 2]],
    ["one two", " two ", [4]],
    ["one", "  ", []],
    ["one", "two", []],
  ])("finds in %j the query %j at %j", (text, query, expected) => {
    expect(findAll(text, query)).toEqual(expected);
  });
});
