import { describe, expect, it } from "vitest";

import { computeChart, parseNumber, sortRows } from "./columns";
import { DelimitedTable, detectFormat } from "./delimited";
import { getTicks } from "./ticks";

function createTable(
  text: string,
  { chunkSize = 7, mime = "text/csv", capacity = Number.POSITIVE_INFINITY } = {},
): DelimitedTable {
  const bytes = new TextEncoder().encode(text);
  const table = new DelimitedTable(detectFormat(bytes, mime), Math.min(bytes.length, capacity));
  let appended = 0;
  for (let start = 0; start < bytes.length; start += chunkSize) {
    appended += table.append(bytes.subarray(start, start + chunkSize));
  }
  table.close(appended === bytes.length);
  return table;
}

describe("search in a table", () => {
  it("shows the rows that contain the text, with their numbers, in the order of a sort", () => {
    const table = createTable("name,n\nBerlin,2\nBern,1\nParis,3\n");
    expect(table.find("BER")).toBe(2);
    expect(table.getRows(0, 9)).toEqual([["Berlin", "2"], ["Bern", "1"]]);
    table.setOrder(sortRows(table.getCells(1), "ascending"));
    expect([...table.getNumbers(0, 9)]).toEqual([2, 1]);
    expect(table.find("")).toBe(3);
    expect([...table.getNumbers(0, 9)]).toEqual([2, 1, 3]);
  });
});

describe("ticks of an axis", () => {
  it.each([
    [0, 999, [0, 250, 500, 750, 1000]],
    [-3, 4, [-4, -2, 0, 2, 4]],
    [5, 5, [4, 6]],
  ])("from %d to %d are round and cover the range", (min, max, ticks) => {
    const found = getTicks(min, max, 4);
    expect(found[0]).toBeLessThanOrEqual(min);
    expect(found.at(-1)).toBeGreaterThanOrEqual(max);
    if (min !== max) expect(found).toEqual(ticks);
  });
});

const getAllRows = (table: DelimitedTable) => table.getRows(0, table.count);

describe("DelimitedTable", () => {
  it.each([
    ["commas", "a,b\n1,2\n3,4\n"],
    ["semicolons", "a;b\n1;2\n3;4"],
    ["tabs", "a\tb\n1\t2\n3\t4\n"],
    ["pipes", "a|b\n1|2\n3|4\n"],
    ["CRLF line endings", "a,b\r\n1,2\r\n3,4\r\n"],
    ["CR line endings", "a,b\r1,2\r3,4\r"],
    ["blank lines", "\na,b\n\n1,2\n\n\n3,4\n\n"],
    ["a byte order mark", "\ufeffa,b\n1,2\n3,4\n"],
    ["unnecessary quotes", '"a","b"\n"1","2"\n"3","4"\n'],
  ])("parses %s, whatever the chunk size", (_, text) => {
    for (const chunkSize of [1, 3, 1000]) {
      const table = createTable(text, { chunkSize });
      expect(table.columns).toEqual(["a", "b"]);
      expect(getAllRows(table)).toEqual([
        ["1", "2"],
        ["3", "4"],
      ]);
    }
  });

  it("keeps line endings, delimiters and doubled quotes inside quotes", () => {
    const table = createTable('name,comment\n"Ada","one\ntwo, ""three"""\nBob,"x\r\ny"\n', { chunkSize: 1 });
    expect(getAllRows(table)).toEqual([
      ["Ada", 'one\ntwo, "three"'],
      ["Bob", "x\r\ny"],
    ]);
  });

  it("treats a quote inside an unquoted field as a plain character", () => {
    expect(getAllRows(createTable('size,color\n5" pipe,red\n6" pipe,blue\n'))).toEqual([
      ['5" pipe', "red"],
      ['6" pipe', "blue"],
    ]);
  });

  it("keeps a row with an empty quoted field, and rows with fewer or more cells", () => {
    expect(getAllRows(createTable('a,b\n""\n1\n1,2,3\n'))).toEqual([[""], ["1"], ["1", "2", "3"]]);
  });

  it("drops the last row if the capacity cuts it off", () => {
    expect(getAllRows(createTable("a,b\n1,2\n3,4\n", { capacity: 10 }))).toEqual([["1", "2"]]);
  });

  it("has no columns and no rows if the text is empty", () => {
    const table = createTable("");
    expect([table.columns, table.count, getAllRows(table)]).toEqual([[], 0, []]);
  });

  it("splits at tabs if the media type is TSV", () => {
    const table = createTable("a,b\tc\n", { mime: "text/tab-separated-values" });
    expect(table.columns).toEqual(["a,b", "c"]);
  });
});

describe("detectFormat", () => {
  it.each([
    ["utf-8", [0x61, 0x2c, 0xc3, 0xa4]],
    ["windows-1252", [0x61, 0x2c, 0xe4, 0x0a]],
    ["utf-16le", [0xff, 0xfe, 0x61, 0x00]],
    ["utf-16be", [0xfe, 0xff, 0x00, 0x61]],
  ])("detects %s", (encoding, bytes) => {
    expect(detectFormat(Uint8Array.from(bytes), "text/csv").encoding).toBe(encoding);
  });
});

const table = createTable("name,n\nPear,10\napple,9\n,\nÄpfel,1 000\nBirne,-2.5e1\n");

/** Sort the table by a column and return the column's cells. */
function sortBy(column: number, direction: "ascending" | "descending"): (string | undefined)[] {
  table.setOrder(sortRows(table.getCells(column), direction));
  return getAllRows(table).map((row) => row[column]);
}

describe("sortRows", () => {
  it("sorts numbers numerically, empty cells last in both directions", () => {
    expect(sortBy(1, "ascending")).toEqual(["-2.5e1", "9", "10", "1 000", ""]);
    expect(sortBy(1, "descending")).toEqual(["1 000", "10", "9", "-2.5e1", ""]);
  });

  it("sorts texts alphabetically, ignoring case and accents", () => {
    expect(sortBy(0, "ascending")).toEqual(["Äpfel", "apple", "Birne", "Pear", ""]);
  });
});

describe("computeChart", () => {
  it("returns a line over the rows in file order, even if the table is sorted", () => {
    sortBy(1, "descending");
    expect(computeChart(table.getCells(1), table.count)).toEqual({
      kind: "line",
      min: [10, 9, 1000, -25],
      mean: [10, 9, 1000, -25],
      max: [10, 9, 1000, -25],
      rows: 5,
    });
  });

  it("aggregates many rows into buckets", () => {
    const cells = Array.from({ length: 4000 }, (_, row): [number, string] => [row, String(row % 10)]);
    const chart = computeChart(cells, 4000);
    expect(chart).toMatchObject({ kind: "line", rows: 4000 });
    if (chart.kind === "line") expect([chart.min.length, chart.min[3], chart.mean[3], chart.max[3]]).toEqual([400, 0, 4.5, 9]);
  });

  it("counts the values of a text column", () => {
    const cells = ["red", "blue", "red"].map((cell, row): [number, string] => [row, cell]);
    expect(computeChart(cells, 3)).toEqual({
      kind: "bars",
      bars: [
        { label: "red", count: 2 },
        { label: "blue", count: 1 },
      ],
      others: 0,
    });
  });
});

describe("parseNumber", () => {
  it.each([
    ["12", 12],
    [" -1.5 ", -1.5],
    ["1 234 567", 1234567],
    ["1'000", 1000],
    ["1e3", 1000],
    ["", Number.NaN],
    ["1,5", Number.NaN],
    ["12 apples", Number.NaN],
  ])("parses %j as %d", (cell, value) => {
    expect(parseNumber(cell)).toBe(value);
  });
});
