/**
 * Form fields for a tool's question (the restricted JSON schema of MCP's elicitation), and the answer of a filled form.
 *
 * The server checks answers against the schema. So an entry that cannot be converted is sent as it is, and rejected with
 * the reason.
 */
import type { Problem } from "@satchel/client";
import type { Form } from "../api/types";
import { texts } from "../texts";

export type FieldKind =
  | "text"
  | "paragraph"
  | "email"
  | "url"
  | "date"
  | "datetime-local"
  | "number"
  | "integer"
  | "boolean"
  | "choice"
  | "choices";

type Property = Form["properties"][string];
type Value = string | number | boolean | string[];

export interface InputField {
  name: string;
  label: string;
  description: string;
  kind: FieldKind;
  isRequired: boolean;
  /** The permitted length, value or number of choices, as text; empty without limits. */
  limits: string;
  /** Choices of a `choice` or `choices` field. A form submits their indexes, because a value may be an empty text. */
  options: readonly { value: string; label: string }[];
  /** What the untouched form submits for the field: at most one text, except for `choices`. */
  initial: readonly string[];
  default: Value | null;
  /** Whether the tool seems to ask for a password or another secret. */
  looksSecret: boolean;
}

const FORMATS = { email: "email", uri: "url", date: "date", "date-time": "datetime-local" } as const;
const SECRET_KINDS: readonly FieldKind[] = ["text", "paragraph", "number", "integer"];
const SECRET_WORDS =
  /\b(passwords?|passwd|passphrase|passcode|secret|token|credentials?|pin|otp|cvv|cvc|ssn|(api|access|private) ?keys?|(card|account) number)\b/;
const MAX_LINE_CHARS = 200;
const MINUTE_MS = 60_000;

/** Return the fields of a form. If there is only one, the question counts for the warning about secrets. */
export function fieldsFrom({ properties, required }: Form, question: string): InputField[] {
  const entries = Object.entries(properties);
  const context = entries.length === 1 ? question : "";
  return entries.map(([name, property]) => {
    const kind = kindOf(property);
    const label = property.title || name;
    const description = property.description ?? "";
    const words = [name, label, description, context].map(toWords).join("\n");
    return {
      name,
      label,
      description,
      kind,
      isRequired: required.includes(name),
      limits: limitsOf(property),
      options: optionsOf(property),
      initial: initialOf(property),
      default: property.default ?? null,
      looksSecret: SECRET_KINDS.includes(kind) && SECRET_WORDS.test(words),
    };
  });
}

function kindOf(property: Property): FieldKind {
  if (property.type === "array") return "choices";
  if (property.type !== "string") return property.type;
  if (property.enum || property.oneOf) return "choice";
  if (property.format) return FORMATS[property.format];
  const isLong = (property.maxLength ?? 0) > MAX_LINE_CHARS || property.default?.includes("\n");
  return isLong ? "paragraph" : "text";
}

function optionsOf(property: Property): InputField["options"] {
  if (property.type === "array") return toOptions(property.items.enum ?? [], property.items.anyOf ?? []);
  if (property.type === "string") return toOptions(property.enum ?? [], property.oneOf ?? [], property.enumNames ?? []);
  return [];
}

function toOptions(values: string[], titled: { const: string; title: string }[], names: string[] = []): InputField["options"] {
  const untitled = values.map((value, index) => ({ value, label: names[index] || value }));
  return [...untitled, ...titled.map(({ const: value, title }) => ({ value, label: title || value }))];
}

function limitsOf(property: Property): string {
  switch (property.type) {
    case "array":
      return describeRange(property.minItems, property.maxItems, "choice");
    case "string":
      return describeRange(property.minLength, property.maxLength, "character");
    case "boolean":
      return "";
    default:
      return describeRange(property.minimum, property.maximum);
  }
}

type Limit = number | null | undefined;

function describeRange(low: Limit, high: Limit, unit = ""): string {
  const suffix = unit && ` ${unit}${(high ?? low) === 1 ? "" : "s"}`;
  if (low != null && high != null) return `${low === high ? low : `${low} to ${high}`}${suffix}`;
  if (low != null) return texts.question.atLeast(`${low}${suffix}`);
  return high != null ? texts.question.atMost(`${high}${suffix}`) : "";
}

function initialOf(property: Property): string[] {
  const options = optionsOf(property);
  const indexOf = (value: string): number => options.findIndex((option) => option.value === value);
  if (property.type === "boolean") return property.default ? ["on"] : [];
  if (property.type === "array") {
    const indexes = (property.default ?? []).map(indexOf);
    return indexes.filter((index) => index >= 0).map(String);
  }
  if (property.default == null) return [""];
  if (options.length > 0) return [String(indexOf(String(property.default))).replace("-1", "")];
  const isTime = property.type === "string" && property.format === "date-time";
  return [isTime ? toLocalTime(String(property.default)) : String(property.default)];
}

/** Return a time as the browser's input for local times takes it, to the second; empty if the text is not a time. */
function toLocalTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return "";
  const local = new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS);
  return local.toISOString().slice(0, "2026-01-31T10:00:00".length);
}

/** The parts of FormData that `readAnswer` needs. */
interface SubmittedForm {
  get(name: string): unknown;
  getAll(name: string): unknown[];
}

/** Return the answer that a form holds. An optional field without an entry is left out. */
export function readAnswer(fields: readonly InputField[], form: SubmittedForm): Record<string, Value> {
  const values = fields.map((field) => [field.name, readValue(field, form)] as const);
  return Object.fromEntries(values.filter((entry): entry is readonly [string, Value] => entry[1] !== undefined));
}

function readValue(field: InputField, form: SubmittedForm): Value | undefined {
  const { name, kind, options } = field;
  const hasDefault = field.default !== null;
  if (kind === "boolean") return form.get(name) !== null;
  if (kind === "choices") {
    const chosen = form.getAll(name).flatMap((index) => options[Number(index)]?.value ?? []);
    return chosen.length > 0 || field.isRequired || hasDefault ? chosen : undefined;
  }
  const text = String(form.get(name) ?? "").replaceAll("\r\n", "\n"); // forms submit line breaks as CRLF
  if (kind === "choice") return text === "" ? undefined : options[Number(text)]?.value;
  // Browsers leave out seconds of 0. An unchanged time keeps its time zone.
  const normalized = kind === "datetime-local" ? toLocalTime(text) : text;
  if (normalized === field.initial[0] && field.default !== null) return field.default;
  // A tool would take a missing field as its default.
  if (text === "") return hasDefault && (kind === "text" || kind === "paragraph") ? "" : undefined;
  if (kind === "number" || kind === "integer") return toNumber(text);
  return kind === "datetime-local" ? new Date(text).toISOString() : text;
}

function toNumber(text: string): number | string {
  const value = Number(text);
  return text.trim() !== "" && Number.isFinite(value) ? value : text;
}

const CONTENT_PATH = "body.content.";

/** Return the reasons for which the server rejected an answer, by the name of the field; empty for another error. */
export function errorsByField(problem: Problem | null): Record<string, string> {
  const errors = (problem?.["errors"] ?? []) as { field: string; message: string }[];
  return Object.fromEntries(errors.map(({ field, message }) => [field.replace(CONTENT_PATH, ""), message]));
}

/** `apiKey`, `api_key` and `API key` all become `api key`. */
function toWords(text: string): string {
  return text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_.-]+/g, " ")
    .toLowerCase();
}
