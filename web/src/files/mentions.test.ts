import { describe, expect, it } from "vitest";

import { completeMention, findMention, formatMention, matchNames } from "./mentions";

describe("findMention", () => {
  it.each([
    ["look at @sal", 12, "sal"],
    ["@", 1, ""],
    ['see @"my fi', 11, "my fi"],
    ["(@a", 3, "a"],
    ["mail me@example.com", 19, null],
    ["@one two", 8, null],
    ["@one", 2, "o"],
  ])("in %j with the caret at %d finds %j", (text, caret, query) => {
    expect(findMention(text, caret)?.query ?? null).toBe(query);
  });
});

describe("formatMention", () => {
  it("quotes a name with spaces or quotes", () => {
    expect([formatMention("a.csv"), formatMention("my file.csv"), formatMention('a"b.csv')]).toEqual([
      "@a.csv",
      '@"my file.csv"',
      '@"ab.csv"',
    ]);
  });
});

describe("completeMention", () => {
  it("replaces the typed query with the file name", () => {
    const text = "sum @sal now";
    const mention = findMention(text, 8);
    expect(mention && completeMention(text, mention, 8, "sales.csv")).toEqual(["sum @sales.csv now", 15]);
  });
});

describe("matchNames", () => {
  it("returns each match once, names that start with the query first", () => {
    expect(matchNames(["resale.csv", "Sales.csv", "x.txt", "Sales.csv"], "sal", 5)).toEqual(["Sales.csv", "resale.csv"]);
  });
});
