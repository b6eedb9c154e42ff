import { expect, test } from "vitest";
import { fieldsOf, valuesOf } from "./fields";

const GIVEN = { name: "a.txt", count: 3, keep: true, tags: ["x"], nothing: null };
const form = (changes: Record<string, string | null> = {}) => {
  const said = { name: "a.txt", count: "3", keep: "on", tags: '["x"]', nothing: "null", ...changes };
  return { get: (name: string) => said[name as keyof typeof said] };
};

test("what nobody touched is what was given, and unchanged", () => {
  expect(valuesOf(fieldsOf(GIVEN), form())).toEqual({ values: GIVEN, changed: false });
});

test("each kind is read as what it was", () => {
  const read = valuesOf(fieldsOf(GIVEN), form({ name: "7", count: "7", keep: null, tags: '["y"]' }));

  expect(read).toEqual({ values: { ...GIVEN, name: "7", count: 7, keep: false, tags: ["y"] }, changed: true });
});

test("what is no JSON is told by its name", () => {
  expect(valuesOf(fieldsOf(GIVEN), form({ tags: "[x" }))).toEqual({ wrong: "tags is to be JSON." });
});

test("text of several lines stays as it is", () => {
  const fields = fieldsOf({ text: "one\ntwo" });

  expect(valuesOf(fields, { get: () => "one\r\ntwo" })).toEqual({ values: { text: "one\ntwo" }, changed: false });
});

test("arguments that are no object have no fields", () => {
  expect([null, "text", [1]].map(fieldsOf)).toEqual([[], [], []]);
});
