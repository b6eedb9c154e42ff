/** The arguments of a call as fields of a form: text as it is, yes and no as a box, all else as JSON. */
export interface Field {
  name: string;
  kind: "text" | "boolean" | "json";
  text: string;
}

export function fieldsOf(given: unknown): Field[] {
  const named = given !== null && typeof given === "object" && !Array.isArray(given) ? given : {};
  return Object.entries(named).map(([name, value]: [string, unknown]) => {
    if (typeof value === "string") return { name, kind: "text", text: value };
    if (typeof value === "boolean") return { name, kind: "boolean", text: String(value) };
    return { name, kind: "json", text: JSON.stringify(value) };
  });
}

export type Read = { values: Record<string, unknown>; changed: boolean } | { wrong: string };

/** Read what stands in the form; `wrong` names the first field that is no JSON. */
export function valuesOf(fields: readonly Field[], form: { get(name: string): unknown }): Read {
  const values: Record<string, unknown> = {};
  let changed = false;
  for (const field of fields) {
    const text = field.kind === "boolean" ? String(form.get(field.name) !== null) : lines(form.get(field.name));
    changed ||= text !== field.text;
    try {
      values[field.name] = field.kind === "text" ? text : JSON.parse(text);
    } catch {
      return { wrong: `${field.name} is to be JSON.` };
    }
  }
  return { values, changed };
}

/** A form ends its lines as HTTP has it. */
function lines(value: unknown): string {
  return String(value ?? "").replaceAll("\r\n", "\n");
}
