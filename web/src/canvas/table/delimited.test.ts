import { describe, expect, it } from "vitest";

import { chartOf, numberOf, sortedRows } from "./columns";
import { Delimited, guessForm } from "./delimited";

function tableOf(text: string, { chunk = 7, mime = "text/csv", capacity = Number.POSITIVE_INFINITY } = {}): Delimited {
  const bytes = new TextEncoder().encode(text);
  const table = new Delimited(guessForm(bytes, mime), Math.min(bytes.length, capacity));
  let fed = 0;
  for (let at = 0; at < bytes.length; at += chunk) fed += table.feed(bytes.subarray(at, at + chunk));
  table.close(fed === bytes.length);
  return table;
}

const all = (table: Delimited) => table.rows(0, table.count);

describe("a delimited text", () => {
  it.each([
    ["commas", "a,b\n1,2\n3,4\n"],
    ["semicolons", "a;b\n1;2\n3;4"],
    ["tabs", "a\tb\n1\t2\n3\t4\n"],
    ["bars", "a|b\n1|2\n3|4\n"],
    ["line ends of two characters", "a,b\r\n1,2\r\n3,4\r\n"],
    ["line ends of old machines", "a,b\r1,2\r3,4\r"],
    ["blank lines", "\na,b\n\n1,2\n\n\n3,4\n\n"],
    ["a mark of its encoding", "\ufeffa,b\n1,2\n3,4\n"],
    ["quotes that are not needed", '"a","b"\n"1","2"\n"3","4"\n'],
  ])("is read with %s, however it is cut", (_, text) => {
    for (const chunk of [1, 3, 1000]) {
      const table = tableOf(text, { chunk });
      expect(table.columns).toEqual(["a", "b"]);
      expect(all(table)).toEqual([
        ["1", "2"],
        ["3", "4"],
      ]);
    }
  });

  it("keeps line ends, separators and doubled quotes inside quotes", () => {
    const table = tableOf('name,said\n"Ada","one\ntwo, ""three"""\nBob,"x\r\ny"\n', { chunk: 1 });
    expect(all(table)).toEqual([
      ["Ada", 'one\ntwo, "three"'],
      ["Bob", "x\r\ny"],
    ]);
  });

  it("takes a quote inside a field that has none before it as a character", () => {
    expect(all(tableOf('size,colour\n5" pipe,red\n6" pipe,blue\n'))).toEqual([
      ['5" pipe', "red"],
      ['6" pipe', "blue"],
    ]);
  });

  it("keeps a row of quotes that hold nothing, and rows of other lengths", () => {
    expect(all(tableOf('a,b\n""\n1\n1,2,3\n'))).toEqual([[""], ["1"], ["1", "2", "3"]]);
  });

  it("leaves out the row that was cut off where not all of it fits", () => {
    expect(all(tableOf("a,b\n1,2\n3,4\n", { capacity: 10 }))).toEqual([["1", "2"]]);
  });

  it("has nothing to show of nothing", () => {
    const table = tableOf("");
    expect([table.columns, table.count, all(table)]).toEqual([[], 0, []]);
  });

  it("is split at tabs where its type says so", () => {
    const table = tableOf("a,b\tc\n", { mime: "text/tab-separated-values" });
    expect(table.columns).toEqual(["a,b", "c"]);
  });

  it.each([
    ["utf-8", [0x61, 0x2c, 0xc3, 0xa4]],
    ["windows-1252", [0x61, 0x2c, 0xe4, 0x0a]],
    ["utf-16le", [0xff, 0xfe, 0x61, 0x00]],
    ["utf-16be", [0xfe, 0xff, 0x00, 0x61]],
  ])("is found to be %s", (encoding, bytes) => {
    expect(guessForm(Uint8Array.from(bytes), "text/csv").encoding).toBe(encoding);
  });
});

describe("a column", () => {
  const table = tableOf("name,n\nPear,10\napple,9\n,\nÄpfel,1 000\nBirne,-2.5e1\n");
  const sorted = (column: number, direction: "ascending" | "descending") => {
    table.arrange(sortedRows(table.cells(column), direction));
    return all(table).map((row) => row[column]);
  };

  it("of numbers is sorted by size, empty cells last either way", () => {
    expect(sorted(1, "ascending")).toEqual(["-2.5e1", "9", "10", "1 000", ""]);
    expect(sorted(1, "descending")).toEqual(["1 000", "10", "9", "-2.5e1", ""]);
  });

  it("of texts is sorted as people sort", () => {
    expect(sorted(0, "ascending")).toEqual(["Äpfel", "apple", "Birne", "Pear", ""]);
  });

  it("of numbers is drawn as a line over the rows of the file, whatever their order on the page", () => {
    sorted(1, "descending");
    expect(chartOf(table.cells(1), table.count)).toEqual({
      kind: "line",
      least: [10, 9, 1000, -25],
      mean: [10, 9, 1000, -25],
      most: [10, 9, 1000, -25],
      rows: 5,
    });
  });

  it("of many numbers is drawn by stretches of rows", () => {
    const cells = Array.from({ length: 4000 }, (_, row): [number, string] => [row, String(row % 10)]);
    const chart = chartOf(cells, 4000);
    expect(chart).toMatchObject({ kind: "line", rows: 4000 });
    if (chart.kind === "line") expect([chart.least.length, chart.least[3], chart.mean[3], chart.most[3]]).toEqual([400, 0, 4.5, 9]);
  });

  it("of texts is drawn by how often each stands there", () => {
    const cells = ["red", "blue", "red"].map((cell, row): [number, string] => [row, cell]);
    expect(chartOf(cells, 3)).toEqual({
      kind: "bars",
      bars: [
        { label: "red", count: 2 },
        { label: "blue", count: 1 },
      ],
      others: 0,
    });
  });

  it.each([
    ["12", 12],
    [" -1.5 ", -1.5],
    ["1 234 567", 1234567],
    ["1'000", 1000],
    ["1e3", 1000],
    ["", Number.NaN],
    ["1,5", Number.NaN],
    ["12 apples", Number.NaN],
  ])("reads %j as %d", (cell, value) => {
    expect(numberOf(cell)).toBe(value);
  });
});
