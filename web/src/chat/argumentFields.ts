/** Form fields for the arguments of a tool call: text as text, a boolean as a checkbox, any other value as JSON. */
import { texts } from "../texts";

export interface ArgumentField {
  name: string;
  kind: "text" | "boolean" | "json";
  text: string;
}

/** Return one field per argument; none if the arguments are not an object. */
export function fieldsFrom(callArguments: unknown): ArgumentField[] {
  const isObject = callArguments !== null && typeof callArguments === "object" && !Array.isArray(callArguments);
  return Object.entries(isObject ? callArguments : {}).map(([name, value]: [string, unknown]) => {
    if (typeof value === "string") return { name, kind: "text", text: value };
    if (typeof value === "boolean") return { name, kind: "boolean", text: String(value) };
    return { name, kind: "json", text: JSON.stringify(value) };
  });
}

export type FormValues = { values: Record<string, unknown>; isChanged: boolean } | { error: string };

/** Return the form's values, or an error that names the first field with invalid JSON. */
export function readValues(fields: readonly ArgumentField[], form: { get(name: string): unknown }): FormValues {
  const values: Record<string, unknown> = {};
  let isChanged = false;
  for (const field of fields) {
    const text = field.kind === "boolean" ? String(form.get(field.name) !== null) : withUnixNewlines(form.get(field.name));
    isChanged ||= text !== field.text;
    try {
      values[field.name] = field.kind === "text" ? text : JSON.parse(text);
    } catch {
      return { error: texts.approval.invalidJson(field.name) };
    }
  }
  return { values, isChanged };
}

/** Forms normalize line breaks to CRLF, so convert them back. */
function withUnixNewlines(value: unknown): string {
  return String(value ?? "").replaceAll("\r\n", "\n");
}
