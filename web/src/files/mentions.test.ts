import { describe, expect, it } from "vitest";

import {
  completeMention,
  findMention,
  formatMention,
  matchNames,
  matchOffers,
  readPages,
  templateCommand,
} from "./mentions";

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

describe("readPages", () => {
  it("reads until there is no cursor", async () => {
    const cursors: (string | null)[] = [];
    const pages = await readPages(async (cursor) => {
      cursors.push(cursor);
      return { cursor: cursors.length < 3 ? `after ${cursors.length}` : null };
    });
    expect(cursors).toEqual([null, "after 1", "after 2"]);
    expect(pages).toHaveLength(3);
  });
});

describe("matchOffers", () => {
  it("searches names, titles and addresses of hundreds of offers", () => {
    const offers = Array.from({ length: 300 }, (_, index) => ({ name: `r${index}`, uri: `demo://report/${index}` }));
    expect(matchOffers(offers, "REPORT/299", ({ uri }) => uri)).toEqual([offers[299]]);
  });
});

describe("templateCommand", () => {
  it("puts the caret at the part to fill in", () => {
    const [command, caret] = templateCommand({ server: "demo", uri_template: "demo://text/{id}" });
    expect(command).toBe('/demo.read_resource {"uri":"demo://text/{id}"}');
    expect(command.slice(caret)).toBe('{id}"}');
  });
});
