import { describe, expect, it } from "vitest";

import type { FileRecord } from "../api/types";
import { formatAge } from "./describeFile";
import { findFiles, kindOf, sortFiles } from "./fileOrder";
import { uniqueNames } from "./zipFiles";

const file = (name: string, changes: Partial<FileRecord> = {}) =>
  ({ name, mime: "application/octet-stream", size: 1, category: null, ...changes }) as FileRecord;
const names = (files: readonly FileRecord[]) => files.map(({ name }) => name);

describe("files", () => {
  it("are found by any part of their name or category, ignoring case", () => {
    const files = [file("Sales Report.CSV"), file("notes.txt", { category: "Reports" }), file("other.txt")];
    expect(names(findFiles(files, " report ", null))).toEqual(["Sales Report.CSV", "notes.txt"]);
    expect(names(findFiles(files, "report", "Tables"))).toEqual(["Sales Report.CSV"]);
    expect(findFiles(files, "", null)).toBe(files);
  });

  it("have the kind of their media type, or else of their name", () => {
    expect(kindOf({ name: "a.txt", mime: "image/png" })).toBe("Images");
    expect(kindOf({ name: "a.PDF", mime: "application/octet-stream" })).toBe("Documents");
    expect(kindOf({ name: "a", mime: "application/octet-stream" })).toBe("Others");
  });

  it("are sorted by name with numbers, by size, and by kind", () => {
    const files = [file("b10.txt"), file("b9.csv", { size: 7 }), file("A.csv")];
    expect(names(sortFiles(files, "Name"))).toEqual(["A.csv", "b9.csv", "b10.txt"]);
    expect(names(sortFiles(files, "Largest"))).toEqual(["b9.csv", "b10.txt", "A.csv"]);
    expect(names(sortFiles(files, "Kind"))).toEqual(["A.csv", "b9.csv", "b10.txt"]);
    expect(names(sortFiles(files, "Oldest"))).toEqual(["A.csv", "b9.csv", "b10.txt"]);
  });

  it("get unique names in an archive", () => {
    expect(uniqueNames(["a.csv", "A.csv", "a.csv", ".env", ".env"])).toEqual(["a.csv", "A (2).csv", "a (3).csv", ".env", ".env (2)"]);
  });

  it("have a relative age for a week, then a date", () => {
    const now = Date.parse("2026-03-09T12:00:00Z") / 1000;
    const ages = ["2026-03-09T11:59:30Z", "2026-03-09T11:55:00Z", "2026-03-07T11:00:00Z", "2026-02-01T12:00:00Z", "2025-02-01T12:00:00Z"];
    expect(ages.map((at) => formatAge(at, now))).toEqual(["now", "5 min ago", "2 d ago", "Feb 1", "Feb 1, 2025"]);
  });
});
