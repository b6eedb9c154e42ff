import { expect, test } from "vitest";
import { chooseFile, fieldsOfSchema, readArguments } from "./schemaFields";

const SCHEMA = {
  type: "object",
  required: ["filename"],
  properties: {
    limit: { type: "integer", default: 10 },
    filename: { type: "string", title: "File", description: "The CSV file." },
    kind: { enum: ["bar", "line"], type: "string" },
    deep: { type: "boolean", default: false },
    ratio: { anyOf: [{ type: "number" }, { type: "null" }], default: null },
    columns: { type: "array", items: { type: "string" } },
    username: { type: "string" },
  },
};
const FIELDS = fieldsOfSchema(SCHEMA);
const form = (values: Record<string, string>) => ({ get: (name: string) => values[name] ?? null });

test("each argument has a field of its kind, required ones first", () => {
  expect(FIELDS.map(({ name, kind }) => [name, kind])).toEqual([
    ["filename", "file"],
    ["limit", "number"],
    ["kind", "choice"],
    ["deep", "boolean"],
    ["ratio", "number"],
    ["columns", "json"],
  ]);
  expect(FIELDS[0]).toMatchObject({ label: "File", description: "The CSV file.", isRequired: true });
  expect(FIELDS[1]?.initial).toBe("10");
});

test("the file chosen at first has the type that the purpose names first", () => {
  const names = ["gray.png", "sales.CSV", "cities.csv", "notes"];
  expect(chooseFile(names, "Summarize a CSV file, with a PNG chart.")).toBe("sales.CSV");
  expect(chooseFile(names, "Read a file. Notes of it stay.")).toBe("");
  expect(chooseFile(["gray.png"], "Summarize a CSV file.")).toBe("gray.png");
  expect(chooseFile([], "")).toBe("");
});

test("untouched and empty fields are not sent", () => {
  expect(readArguments(FIELDS, form({ filename: "a.csv", limit: "10", kind: "", ratio: "", columns: "" }))).toEqual({
    filename: "a.csv",
  });
});

test("entries are converted", () => {
  const entries = { filename: "a.csv", limit: "5", kind: "bar", deep: "on", ratio: "0.5", columns: '["a"]' };
  expect(readArguments(FIELDS, form(entries))).toEqual({
    filename: "a.csv",
    limit: 5,
    kind: "bar",
    deep: true,
    ratio: 0.5,
    columns: ["a"],
  });
});

test("an entry that cannot be read is named", () => {
  expect(readArguments(FIELDS, form({ columns: "a," }))).toBe("columns must be valid JSON.");
});

test.each([{}, { properties: null }, { properties: { a: true } }])("a schema without descriptions %j has no or plain fields", (schema) => {
  expect(fieldsOfSchema(schema).every(({ kind }) => kind === "json")).toBe(true);
});
