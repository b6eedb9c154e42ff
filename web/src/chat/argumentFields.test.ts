import { expect, test } from "vitest";
import { fieldsFrom, readValues } from "./argumentFields";

const ARGUMENTS = { name: "a.txt", count: 3, keep: true, tags: ["x"], nothing: null };
const form = (changes: Record<string, string | null> = {}) => {
  const entries = { name: "a.txt", count: "3", keep: "on", tags: '["x"]', nothing: "null", ...changes };
  return { get: (name: string) => entries[name as keyof typeof entries] };
};

test("readValues returns the original arguments, unchanged, from an untouched form", () => {
  expect(readValues(fieldsFrom(ARGUMENTS), form())).toEqual({ values: ARGUMENTS, isChanged: false });
});

test("readValues keeps the type of each changed argument", () => {
  const result = readValues(fieldsFrom(ARGUMENTS), form({ name: "7", count: "7", keep: null, tags: '["y"]' }));

  expect(result).toEqual({ values: { ...ARGUMENTS, name: "7", count: 7, keep: false, tags: ["y"] }, isChanged: true });
});

test("readValues names the field that is not valid JSON", () => {
  expect(readValues(fieldsFrom(ARGUMENTS), form({ tags: "[x" }))).toEqual({ error: "tags must be valid JSON." });
});

test("readValues leaves multi-line text unchanged when the form submits CRLF", () => {
  const fields = fieldsFrom({ text: "one\ntwo" });

  expect(readValues(fields, { get: () => "one\r\ntwo" })).toEqual({ values: { text: "one\ntwo" }, isChanged: false });
});

test("fieldsFrom returns no fields if the arguments are not an object", () => {
  expect([null, "text", [1]].map(fieldsFrom)).toEqual([[], [], []]);
});
