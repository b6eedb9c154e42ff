import { describe, expect, it } from "vitest";

import type { Item } from "../item";
import { findViewer } from ".";
import { countTags } from "./countTags";
import { readDimensions } from "./dimensions";
import { detectLanguage } from "./languages";

function item(name: string, mime: string, viewer = "auto"): Item {
  const link = () => Promise.resolve("");
  const unset = { description: null, language: null, content: null };
  return { fileKey: "f", version: 1, name, title: name, mime, size: 1, viewer, ...unset, link };
}

describe("findViewer", () => {
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
    ["a.txt", "text/plain", "html", "html"],
    ["a.html", "text/html", "code", "code"],
    ["a.svg", "image/svg+xml", "code", "code"],
    ["a.parquet", "application/vnd.apache.parquet", "data", "download"],
    ["a.json", "application/vnd.bibliography", "code", "bibliography"],
    ["a.json", "application/vnd.knowledge-graph", "code", "graph"],
    ["a.wav", "audio/wav", "audio", "audio"],
    ["a.mp4", "video/mp4", "video", "video"],
    ["a.zip", "application/zip", "auto", "download"],
    ["a.docx", "application/zip", "auto", "document"],
    ["a.xlsx", "application/octet-stream", "auto", "workbook"],
    ["a", "application/vnd.openxmlformats-officedocument.presentationml.presentation", "auto", "slides"],
    ["a.docx", "image/png", "image", "image"],
    ["a.doc", "application/msword", "auto", "download"],
    ["a", "application/octet-stream", "html", "html"],
    ["a.html", "text/html", "auto", "html"],
  ])("shows %s (media type %s, viewer %s) as %s", (name, mime, viewer, expected) => {
    expect(findViewer(item(name, mime, viewer)).name).toBe(expected);
  });
});

describe("readDimensions", () => {
  const bytes = (...values: number[]) => Uint8Array.from([...values, ...Array.from({ length: 8 }, () => 0)]);
  const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

  it.each([
    ["PNG", bytes(0x89, ...ascii("PNG"), 13, 10, 26, 10, 0, 0, 0, 13, ...ascii("IHDR"), 0, 0, 39, 16, 0, 0, 0, 5), 10_000, 5],
    ["GIF", bytes(...ascii("GIF89a"), 10, 0, 20, 0), 10, 20],
    ["BMP", bytes(...ascii("BM"), ...Array.from({ length: 16 }, () => 0), 7, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff), 7, 2],
    ["JPEG", bytes(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8, 0, 30, 0, 40), 40, 30],
    ["WebP", bytes(...ascii("RIFF"), 0, 0, 0, 0, ...ascii("WEBPVP8X"), 10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0), 2, 3],
  ])("reads the header of a %s image", (_, header, width, height) => {
    expect(readDimensions(header)).toEqual({ width, height });
  });

  it("returns null for a truncated header or an unknown format", () => {
    for (const header of [[], [0x89, 0x50, 0x4e, 0x47], [0xff, 0xd8, 0xff], [1, 2, 3, 4, 5, 6, 7, 8]]) {
      expect(readDimensions(Uint8Array.from(header))).toBeNull();
    }
  });
});

describe("detectLanguage", () => {
  it.each([
    ["a.txt", "text/plain", null, null],
    ["a.py", "text/plain", null, "python"],
    ["a", "application/geo+json", null, "json"],
    ["a.xyz", "image/svg+xml", null, "xml"],
    ["a.py", "text/x-python", "SQL", "sql"],
  ])("for %s (media type %s, named language %s) returns %s", (name, mime, language, expected) => {
    expect(detectLanguage({ name, mime, language })).toBe(expected);
  });
});

describe("countTags", () => {
  it("stops counting above the maximum", () => {
    expect([countTags("<p>a</p>", 9), countTags("<<<<<<", 3), countTags("", 3)]).toEqual([2, 4, 0]);
  });
});
