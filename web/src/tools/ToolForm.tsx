import { type FormEvent, useEffect, useId, useMemo, useRef, useState } from "react";

import { api, unwrap } from "../api/client";
import type { Tool } from "../api/types";
import { useAsync } from "../canvas/useAsync";
import { Button } from "../shared/Button";
import { firstParagraph } from "./description";
import { chooseFile, fieldsOfSchema, readArguments, type SchemaField } from "./schemaFields";
import { ToolLabel } from "./ToolLabel";
import { texts } from "../texts";
import "./tools.css";

interface ToolFormProps {
  tool: Tool;
  /** Receives the message that calls the tool. */
  onCall(message: string): void;
  onClose(): void;
}

/** Form for the arguments of a tool, made from its schema. Escape closes it. */
export default function ToolForm({ tool, onCall, onClose }: ToolFormProps) {
  const fields = useMemo(() => fieldsOfSchema(tool.input_schema ?? {}), [tool]);
  const [error, setError] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("input, select, textarea, button")?.focus(), [tool]);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const values = readArguments(fields, new FormData(event.currentTarget));
    if (typeof values === "string") setError(values);
    else onCall(`/${tool.server}.${tool.name} ${JSON.stringify(values)}`);
  };
  return (
    <form
      ref={form}
      className="prompt tool-form"
      aria-label={texts.tools.form(tool.title || tool.name)}
      onSubmit={submit}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <p>
        <ToolLabel tool={tool} />
      </p>
      {tool.description && <p className="faint">{firstParagraph(tool.description)}</p>}
      {fields.map((field) => (
        <Field key={field.name} field={field} purpose={`${field.description} ${tool.description}`} />
      ))}
      {error && (
        <p className="error-message" role="alert">
          {error}
        </p>
      )}
      <div className="row">
        <Button type="submit" className="primary" disabled={false}>
          {texts.tools.runForm}
        </Button>
        <Button disabled={false} onClick={onClose}>
          {texts.tools.cancel}
        </Button>
      </div>
    </form>
  );
}

/** `purpose` says what the tool and the field are for. */
function Field({ field, purpose }: { field: SchemaField; purpose: string }) {
  const id = useId();
  return (
    <div className="argument">
      <label htmlFor={id} title={field.description}>
        {field.isRequired ? texts.tools.required(field.label) : field.label}
      </label>
      <Control id={id} field={field} purpose={purpose} />
    </div>
  );
}

function Control({ id, field, purpose }: { id: string; field: SchemaField; purpose: string }) {
  const { name, kind, isRequired, choices, initial, description } = field;
  switch (kind) {
    case "boolean":
      return <input id={id} name={name} type="checkbox" defaultChecked={initial === "true"} />;
    case "choice":
      return (
        <select id={id} name={name} required={isRequired} defaultValue={initial}>
          {!initial && <option value="">{texts.tools.choose}</option>}
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      );
    case "file":
      return <FilePicker id={id} name={name} isRequired={isRequired} initial={initial} purpose={purpose} />;
    case "number":
      return <input id={id} name={name} type="number" step="any" required={isRequired} defaultValue={initial} placeholder={description} />;
    case "json":
      return <textarea id={id} name={name} required={isRequired} defaultValue={initial} placeholder={description || "JSON"} rows={1} />;
    case "text":
      return <textarea id={id} name={name} required={isRequired} defaultValue={initial} placeholder={description} rows={1} />;
  }
}

interface FilePickerProps {
  id: string;
  name: string;
  isRequired: boolean;
  initial: string;
  purpose: string;
}

/** The user's newest files as choices, for an argument that names a file. */
function FilePicker({ id, name, isRequired, initial, purpose }: FilePickerProps) {
  const state = useAsync("newest files", fetchFileNames);
  const names = state.status === "loaded" ? state.value : [];
  if (state.status === "loaded" && names.length === 0) {
    return <input id={id} name={name} required={isRequired} defaultValue={initial} placeholder={texts.tools.fileName} />;
  }
  return (
    <select id={id} name={name} required={isRequired} key={names.length} defaultValue={initial || chooseFile(names, purpose)}>
      <option value="">{isRequired ? texts.tools.choose : texts.tools.noFile}</option>
      {names.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}

async function fetchFileNames(): Promise<string[]> {
  const page = await unwrap(api.GET("/api/files", { params: { query: { limit: 100 } } }));
  return [...new Set(page.files.map((file) => file.name))];
}
