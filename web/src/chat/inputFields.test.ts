import { describe, expect, test } from "vitest";
import type { Form } from "../api/types";
import { errorsByField, fieldsFrom, type InputField, readAnswer } from "./inputFields";

const schemaOf = (properties: object, required: string[] = []) => ({ type: "object", properties, required }) as Form;
const fieldOf = (property: object, required = false): InputField =>
  fieldsFrom(schemaOf({ field: property }, required ? ["field"] : []), "Go on?")[0] as InputField;

/** A form as the browser submits it: the untouched fields, with the given entries changed. */
function formOf(fields: readonly InputField[], changes: Record<string, readonly string[]> = {}) {
  const entries = new Map(fields.map((field) => [field.name, changes[field.name] ?? field.initial]));
  return { get: (name: string) => entries.get(name)?.[0] ?? null, getAll: (name: string) => [...(entries.get(name) ?? [])] };
}

const answerOf = (property: object, entry?: readonly string[], required = false): unknown => {
  const field = fieldOf(property, required);
  return readAnswer([field], formOf([field], entry ? { field: entry } : {}))["field"];
};

describe("fieldsFrom returns", () => {
  test.each([
    [{ type: "string" }, "text"],
    [{ type: "string", maxLength: 2_000 }, "paragraph"],
    [{ type: "string", default: "one\ntwo" }, "paragraph"],
    [{ type: "string", format: "email" }, "email"],
    [{ type: "string", format: "uri" }, "url"],
    [{ type: "string", format: "date" }, "date"],
    [{ type: "string", format: "date-time" }, "datetime-local"],
    [{ type: "number" }, "number"],
    [{ type: "integer" }, "integer"],
    [{ type: "boolean" }, "boolean"],
    [{ type: "string", enum: ["a"] }, "choice"],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "choice"],
    [{ type: "array", items: { type: "string", enum: ["a"] } }, "choices"],
    [{ type: "array", items: { anyOf: [{ const: "a", title: "A" }] } }, "choices"],
  ])("for %j the kind %s", (property, kind) => {
    expect(fieldOf(property).kind).toBe(kind);
  });

  test("the fields in the order of the schema, with titles as labels", () => {
    const schema = schemaOf({ size: { type: "integer", title: "Size", description: "In cm." }, name: { type: "string" } }, ["name"]);

    expect(fieldsFrom(schema, "")).toMatchObject([
      { name: "size", label: "Size", description: "In cm.", isRequired: false },
      { name: "name", label: "name", description: "", isRequired: true },
    ]);
  });

  test("the title of each choice, from oneOf, anyOf or enumNames, or its value", () => {
    const titled = [
      { const: "a", title: "Alpha" },
      { const: "b", title: "" },
    ];
    const labelsOf = (property: object) => fieldOf(property).options.map((option) => option.label);

    expect(labelsOf({ type: "string", oneOf: titled })).toEqual(["Alpha", "b"]);
    expect(labelsOf({ type: "array", items: { anyOf: titled } })).toEqual(["Alpha", "b"]);
    expect(labelsOf({ type: "string", enum: ["a", "b"], enumNames: ["Alpha"] })).toEqual(["Alpha", "b"]);
  });

  test.each([
    [{ type: "string", minLength: 2, maxLength: 40 }, "2 to 40 characters"],
    [{ type: "integer", minimum: 0 }, "At least 0"],
    [{ type: "number", maximum: 1.5 }, "At most 1.5"],
    [{ type: "array", items: { enum: ["a"] }, minItems: 1, maxItems: 2 }, "1 to 2 choices"],
    [{ type: "array", items: { enum: ["a"] }, minItems: 1, maxItems: 1 }, "1 choice"],
    [{ type: "string" }, ""],
  ])("for %j the limits %j", (property, limits) => {
    expect(fieldOf(property).limits).toBe(limits);
  });
});

describe("readAnswer returns", () => {
  test("the defaults of an untouched form, with their types", () => {
    const defaults = {
      text: "a",
      count: 3,
      ratio: 0.5,
      agree: true,
      day: "2026-01-31",
      at: "2026-01-31T10:00:00+02:00",
      one: "b",
      some: ["a", "c"],
    };
    const choices = { type: "string", enum: ["a", "b", "c"] };
    const properties = {
      text: { type: "string" },
      count: { type: "integer" },
      ratio: { type: "number" },
      agree: { type: "boolean" },
      day: { type: "string", format: "date" },
      at: { type: "string", format: "date-time" },
      one: choices,
      some: { type: "array", items: choices },
    };
    const withDefaults = Object.entries(properties).map(([name, property]) => [
      name,
      { ...property, default: defaults[name as keyof typeof defaults] },
    ]);
    const fields = fieldsFrom(schemaOf(Object.fromEntries(withDefaults)), "");

    expect(readAnswer(fields, formOf(fields))).toEqual(defaults);
  });

  test.each([
    [{ type: "string" }, ["two words "], "two words "],
    [{ type: "string", maxLength: 999 }, ["one\r\ntwo"], "one\ntwo"],
    [{ type: "integer" }, [" 12 "], 12],
    [{ type: "number" }, ["-1.5e3"], -1500],
    [{ type: "boolean" }, ["on"], true],
    [{ type: "boolean", default: true }, [], false],
    [{ type: "string", format: "date" }, ["2026-02-01"], "2026-02-01"],
    [{ type: "string", enum: ["", "a"] }, ["0"], ""],
    [{ type: "array", items: { enum: ["a", "b"] } }, ["0", "1"], ["a", "b"]],
  ])("for %j and the entry %j the value %j", (property, entry, value) => {
    expect(answerOf(property, entry)).toEqual(value);
  });

  test("a local time as a time in UTC", () => {
    const local = new Date(2026, 0, 31, 9, 30);

    expect(answerOf({ type: "string", format: "date-time" }, ["2026-01-31T09:30"])).toBe(local.toISOString());
  });

  test("the default for an unchanged time, although browsers leave out seconds of 0", () => {
    const property = { type: "string", format: "date-time", default: "2026-01-31T10:00:00+02:00" };
    const shortened = fieldOf(property).initial[0]?.replace(/:00$/, "") ?? "";

    expect(answerOf(property, [shortened])).toBe(property.default);
  });

  test("the text of an entry that is not a number, which the server rejects with a reason", () => {
    expect(answerOf({ type: "integer" }, ["twelve"])).toBe("twelve");
    expect(answerOf({ type: "number" }, ["Infinity"])).toBe("Infinity");
  });

  test.each([
    [{ type: "string" }, [""]],
    [{ type: "number" }, [""]],
    [{ type: "string", enum: ["a"] }, [""]],
    [{ type: "string", enum: ["a"], default: "unknown" }, undefined],
    [{ type: "array", items: { enum: ["a"] } }, []],
  ])("no value for %j if the entry is empty", (property, entry) => {
    expect(answerOf(property, entry)).toBeUndefined();
  });

  test("the empty value of a text or of choices if it replaces a default, because a tool would apply the default", () => {
    expect(answerOf({ type: "string", default: "a" }, [""])).toBe("");
    expect(answerOf({ type: "array", items: { enum: ["a"] }, default: ["a"] }, [])).toEqual([]);
  });

  test("an empty list for a required field without a minimum of choices", () => {
    expect(answerOf({ type: "array", items: { enum: ["a"] } }, [], true)).toEqual([]);
  });

  test("a field that is called __proto__ as a field", () => {
    const fields = fieldsFrom(JSON.parse('{"properties": {"__proto__": {"type": "string"}}, "required": []}') as Form, "");
    const answer = readAnswer(fields, { get: () => "x", getAll: () => [] });

    expect(JSON.stringify(answer)).toBe('{"__proto__":"x"}');
  });
});

describe("a field looks like a secret", () => {
  test.each([
    { password: { type: "string" } },
    { apiKey: { type: "string" } },
    { github_token: { type: "string" } },
    { pin: { type: "integer" } },
    { value: { type: "string", title: "Your Credit Card Number" } },
    { value: { type: "string", description: "The secret of your account" } },
  ])("if its name, title or description says so: %j", (properties) => {
    expect(fieldsFrom(schemaOf(properties), "")[0]?.looksSecret).toBe(true);
  });

  test("if the question of a single field says so", () => {
    const looksSecret = (properties: object) =>
      fieldsFrom(schemaOf(properties), "What is your password?").map((field) => field.looksSecret);

    expect(looksSecret({ value: { type: "string" } })).toEqual([true]);
    expect(looksSecret({ user: { type: "string" }, day: { type: "string" } })).toEqual([false, false]);
  });

  test.each([
    { max_tokens: { type: "integer" } },
    { shipping: { type: "string" } },
    { secret: { type: "boolean" } },
    { token: { type: "string", enum: ["a", "b"] } },
  ])("but not %j", (properties) => {
    expect(fieldsFrom(schemaOf(properties), "")[0]?.looksSecret).toBe(false);
  });
});

test("errorsByField returns the server's reasons by the name of the field", () => {
  const errors = [
    { field: "body.content.size", message: "must be at least 1" },
    { field: "body.content.body.content.x", message: "is required" },
  ];

  const problem = { type: "", title: "", status: 422, detail: "size: must be at least 1", error_code: "E_INVALID_REQUEST" };

  expect(errorsByField({ ...problem, errors })).toEqual({
    size: "must be at least 1",
    "body.content.x": "is required",
  });
  expect([null, problem].map(errorsByField)).toEqual([{}, {}]);
});
