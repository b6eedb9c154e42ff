/** Form fields for the arguments of a tool (the JSON Schema of its input), and the arguments of a filled form. Pure. */
import { texts } from "../texts";

export type FieldKind = "text" | "number" | "boolean" | "choice" | "file" | "json";

export interface SchemaField {
  name: string;
  label: string;
  description: string;
  kind: FieldKind;
  isRequired: boolean;
  /** Values of a `choice`. */
  choices: readonly string[];
  /** Text of the untouched field. */
  initial: string;
}

interface Property {
  type?: unknown;
  title?: unknown;
  description?: unknown;
  enum?: unknown;
  default?: unknown;
  anyOf?: unknown;
}

/** Arguments that the API sets to the name of the user, whatever the caller sends. */
const SET_BY_THE_API = new Set(["username", "_atlas_user"]);
const FILE_NAME = /(^|_)(file|filename|files?_?name|path)$/i;

/** Return one field per argument, required ones first. */
export function fieldsOfSchema(schema: Record<string, unknown>): SchemaField[] {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const entries = Object.entries(properties).filter(([name]) => !SET_BY_THE_API.has(name));
  const fields = entries.map(([name, value]) => {
    const property: Property = isObject(value) ? withoutNull(value) : {};
    const kind = kindOf(name, property);
    return {
      name,
      label: typeof property.title === "string" ? property.title : name,
      description: typeof property.description === "string" ? property.description : "",
      kind,
      isRequired: required.includes(name),
      choices: kind === "choice" ? (property.enum as unknown[]).map(String) : [],
      initial: initialOf(property.default),
    };
  });
  return fields.sort((one, other) => Number(other.isRequired) - Number(one.isRequired));
}

/** Return the schema of an optional argument without its null, as `anyOf` of a type and null. */
function withoutNull(property: Property): Property {
  const options = Array.isArray(property.anyOf) ? property.anyOf.filter(isObject) : [];
  const rest = options.filter((option) => option["type"] !== "null");
  return rest.length === 1 ? { ...property, ...rest[0] } : property;
}

function kindOf(name: string, { type, enum: choices }: Property): FieldKind {
  if (Array.isArray(choices) && choices.every((choice) => typeof choice === "string")) return "choice";
  if (type === "string") return FILE_NAME.test(name) ? "file" : "text";
  if (type === "number" || type === "integer") return "number";
  return type === "boolean" ? "boolean" : "json";
}

function initialOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Return the first file of the type that the purpose names first, such as "CSV", or the only file; else nothing. */
export function chooseFile(names: readonly string[], purpose: string): string {
  for (const word of purpose.toLowerCase().split(/[^a-z0-9]+/)) {
    const fitting = word && names.find((name) => name.toLowerCase().endsWith(`.${word}`));
    if (fitting) return fitting;
  }
  return names.length === 1 ? (names[0] ?? "") : "";
}

/** Return the arguments of a filled form, or the message for the first field that cannot be read. Empty fields are omitted. */
export function readArguments(fields: readonly SchemaField[], form: { get(name: string): unknown }): Record<string, unknown> | string {
  const values: Record<string, unknown> = {};
  for (const { name, label, kind, initial } of fields) {
    if (kind === "boolean") {
      const isChecked = form.get(name) !== null;
      if (String(isChecked) !== (initial || "false")) values[name] = isChecked;
      continue;
    }
    const text = String(form.get(name) ?? "").replaceAll("\r\n", "\n");
    if (text === "" || text === initial) continue;
    if (kind === "text" || kind === "choice" || kind === "file") values[name] = text;
    else {
      try {
        values[name] = JSON.parse(text);
      } catch {
        return kind === "number" ? texts.tools.number(label) : texts.tools.json(label);
      }
    }
  }
  return values;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
