import { describe, expect, it } from "vitest";

import type { Item } from "../item";
import { viewerOf } from ".";
import { dimensionsOf } from "./dimensions";
import { languageOf } from "./languages";
import { countTags } from "./tags";

function item(name: string, mime: string, viewer = "auto"): Item {
  const link = () => Promise.resolve("");
  const nothing = { description: null, language: null, content: null };
  return { fileKey: "f", version: 1, name, title: name, mime, size: 1, viewer, ...nothing, link };
}

describe("a file's viewer", () => {
  it.each([
    ["a.png", "image/png", "image", "image"],
    ["a.svg", "image/svg+xml", "image", "image"],
    ["a.pdf", "application/pdf", "pdf", "pdf"],
    ["a.html", "text/html", "html", "html"],
    ["a.md", "text/markdown", "code", "markdown"],
    ["readme.md", "text/plain", "code", "markdown"],
    ["a.py", "text/x-python", "code", "code"],
    ["a.json", "application/json", "code", "code"],
    ["a.csv", "text/csv", "data", "table"],
    ["a.tsv", "text/tab-separated-values", "data", "table"],
    ["a.csv", "text/plain", "data", "table"],
    ["a.csv", "text/csv", "code", "code"],
    ["a.parquet", "application/vnd.apache.parquet", "data", "download"],
    ["a.json", "application/vnd.bibliography", "code", "bibliography"],
    ["a.json", "application/vnd.knowledge-graph", "code", "graph"],
    ["a.wav", "audio/wav", "audio", "audio"],
    ["a.mp4", "video/mp4", "video", "video"],
    ["a.zip", "application/zip", "auto", "download"],
    ["a", "application/octet-stream", "html", "html"],
    ["a.html", "text/html", "auto", "html"],
  ])("of %s (%s, %s) is %s", (name, mime, hint, viewer) => {
    expect(viewerOf(item(name, mime, hint)).name).toBe(viewer);
  });
});

describe("the size of an image", () => {
  const bytes = (...values: number[]) => Uint8Array.from([...values, ...Array.from({ length: 8 }, () => 0)]);
  const text = (words: string) => [...words].map((letter) => letter.charCodeAt(0));

  it.each([
    ["PNG", bytes(0x89, ...text("PNG"), 13, 10, 26, 10, 0, 0, 0, 13, ...text("IHDR"), 0, 0, 39, 16, 0, 0, 0, 5), 10_000, 5],
    ["GIF", bytes(...text("GIF89a"), 10, 0, 20, 0), 10, 20],
    ["BMP", bytes(...text("BM"), ...Array.from({ length: 16 }, () => 0), 7, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff), 7, 2],
    ["JPEG", bytes(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8, 0, 30, 0, 40), 40, 30],
    ["WebP", bytes(...text("RIFF"), 0, 0, 0, 0, ...text("WEBPVP8X"), 10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0), 2, 3],
  ])("is read from the head of a %s", (_, head, width, height) => {
    expect(dimensionsOf(head)).toEqual({ width, height });
  });

  it("is not told of what is cut off or something else", () => {
    for (const head of [[], [0x89, 0x50, 0x4e, 0x47], [0xff, 0xd8, 0xff], [1, 2, 3, 4, 5, 6, 7, 8]]) {
      expect(dimensionsOf(Uint8Array.from(head))).toBeNull();
    }
  });
});

describe("a text's language", () => {
  it.each([
    ["a.txt", "text/plain", null, null],
    ["a.py", "text/plain", null, "python"],
    ["a", "application/geo+json", null, "json"],
    ["a.xyz", "image/svg+xml", null, "xml"],
    ["a.py", "text/x-python", "SQL", "sql"],
  ])("of %s (%s, said to be %s) is %s", (name, mime, language, found) => {
    expect(languageOf({ name, mime, language })).toBe(found);
  });
});

it("tags are counted up to what may be", () => {
  expect([countTags("<p>a</p>", 9), countTags("<<<<<<", 3), countTags("", 3)]).toEqual([2, 4, 0]);
});
