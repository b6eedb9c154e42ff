import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { ApiError, api, unwrap } from "../api/client";
import { Button } from "../shared/Button";
import { Countdown } from "../shared/Countdown";
import { DateTime } from "../shared/DateTime";
import { showError } from "../shared/notifications";
import { errorsByField, fieldsFrom, type InputField, readAnswer } from "./inputFields";
import type { Question } from "./toolCall";
import { texts } from "../texts";
import { Phrase } from "../shared/Phrase";
import "./question.css";

interface QuestionFormProps {
  question: Question;
  turnPath: { session_id: string; turn_id: string };
}

type Action = "accept" | "decline" | "cancel";

const ROUTE = "/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/input";

/**
 * A tool's question to the user: a form, or the address of a page to visit.
 *
 * Everything in it comes from the tool's server, so it is shown as plain text, below the name of the tool.
 */
export default function QuestionForm({ question, turnPath }: QuestionFormProps) {
  const { mode, tool, message, schema, url } = question;
  const [fields] = useState(() => (schema ? fieldsFrom(schema, message) : []));
  const { send, isSent, errors, setErrors } = useAnswer(question, turnPath);
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  useEffect(() => {
    form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [errors]);
  const accept = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (mode === "url") return send("accept");
    const incomplete = findIncomplete(event.currentTarget);
    if (incomplete) setErrors({ [incomplete]: texts.question.incomplete });
    else send("accept", readAnswer(fields, new FormData(event.currentTarget)));
  };
  const unknown = Object.entries(errors).filter(([name]) => !fields.some((field) => field.name === name));
  return (
    <form ref={form} className="question" aria-labelledby={id} onSubmit={accept} noValidate>
      <p id={id}>
        <Phrase text={texts.question.asks} parts={{ tool: <strong>{tool}</strong> }} /> <span className="plain-text">{message}</span>
      </p>
      {mode === "url" ? (
        <Destination url={url ?? ""} />
      ) : (
        fields.map((field) => <Field key={field.name} field={field} error={errors[field.name]} />)
      )}
      {unknown.map(([name, error]) => (
        <p key={name} className="error-message" role="alert">
          {name} {error}.
        </p>
      ))}
      <div className="row">
        <Button type="submit" className="primary" disabled={isSent}>
          {mode === "url" ? texts.question.continue : texts.question.answer}
        </Button>
        <Button disabled={isSent} onClick={() => send("decline")}>
          {texts.question.decline}
        </Button>
        <Button disabled={isSent} onClick={() => send("cancel")}>
          {texts.question.cancel}
        </Button>
        <Deadline question={question} />
      </div>
    </form>
  );
}

/** Send the answer. `errors` has the server's reasons for rejecting it, by field. */
function useAnswer({ call_id, input_id }: Question, turnPath: QuestionFormProps["turnPath"]) {
  const [isSent, setSent] = useState(false);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const send = (action: Action, content?: ReturnType<typeof readAnswer>): void => {
    setSent(true);
    setErrors({});
    const body = { input_id, action, ...(content ? { content } : {}) };
    unwrap(api.POST(ROUTE, { params: { path: { ...turnPath, call_id } }, body })).catch((reason: unknown) => {
      setSent(false);
      const rejected = reason instanceof ApiError ? errorsByField(reason.problem) : {};
      if (Object.keys(rejected).length > 0) setErrors(rejected);
      else showError(reason);
    });
  };
  return { send, isSent, errors, setErrors };
}

/** Return the name of the first field with an entry that the browser cannot read, such as a date without a year. */
function findIncomplete(form: HTMLFormElement): string | null {
  const inputs = [...form.elements].filter((element) => element instanceof HTMLInputElement);
  return inputs.find((input) => input.validity.badInput)?.name ?? null;
}

/** The time until which the tool waits. A tool whose process waits gets a countdown. */
function Deadline({ question: { expires_at: expiresAt, bound_seconds: bound } }: { question: Question }) {
  if (bound !== undefined && bound !== null) return <Countdown from={expiresAt} seconds={0} />;
  return (
    <span className="faint last">
      {texts.question.waitsUntil} <DateTime at={expiresAt} />
    </span>
  );
}

/** A page to visit: nothing is loaded from it until the user follows the link, and it cannot reach this page. */
function Destination({ url }: { url: string }) {
  const target = URL.canParse(url) ? new URL(url) : null;
  if (!target || !/^https?:$/.test(target.protocol)) {
    return (
      <p className="error-message">
        {texts.question.badAddress} <code>{url}</code>
      </p>
    );
  }
  return (
    <div className="destination">
      <p>
        <Phrase text={texts.question.destination} parts={{ host: <strong>{target.host}</strong> }} />
      </p>
      <a href={target.href} target="_blank" rel="noopener noreferrer">
        {texts.question.open(target.host)}
      </a>
      <code>{target.href}</code>
    </div>
  );
}

interface FieldProps {
  field: InputField;
  error: string | undefined;
}

/** A labeled input with its hints, the warning about secrets and its error, all of which screen readers announce. */
function Field({ field, error }: FieldProps) {
  const id = useId();
  const hints = [field.description, field.limits].filter(Boolean).join(" · ");
  const described = { "aria-describedby": `${id}-hints`, "aria-invalid": error !== undefined };
  const notes = (
    <div id={`${id}-hints`} className="hints">
      {hints && <span className="faint">{hints}</span>}
      {field.looksSecret && (
        <span className="warning">{texts.question.secret}</span>
      )}
      {error !== undefined && <span className="error-message">{texts.question.field(error)}</span>}
    </div>
  );
  if (field.kind === "choices") {
    return (
      <fieldset className="field">
        <legend>
          <Label field={field} />
        </legend>
        {field.options.map((option, index) => (
          <label key={index} className="option">
            <input
              type="checkbox"
              name={field.name}
              value={index}
              defaultChecked={field.initial.includes(String(index))}
              {...described}
            />
            {option.label}
          </label>
        ))}
        {notes}
      </fieldset>
    );
  }
  return (
    <div className={`field ${field.kind}`}>
      <label htmlFor={id}>
        <Label field={field} />
      </label>
      <Input field={field} id={id} described={described} />
      {notes}
    </div>
  );
}

function Label({ field }: { field: InputField }): ReactNode {
  const hasMark = field.isRequired && field.kind !== "boolean"; // a checkbox always has a value
  return (
    <>
      {field.label}
      {hasMark && <span className="faint">{texts.question.required}</span>}
    </>
  );
}

interface InputProps {
  field: InputField;
  id: string;
  described: object;
}

function Input({ field: { name, kind, options, isRequired, initial }, id, described }: InputProps) {
  const common = { id, name, ...described };
  const text = { ...common, defaultValue: initial[0], required: isRequired, autoComplete: "off" };
  switch (kind) {
    case "boolean":
      return <input {...common} type="checkbox" defaultChecked={initial.length > 0} />;
    case "choice":
      return (
        <select {...text}>
          {(initial[0] === "" || !isRequired) && <option value="">{texts.question.choose}</option>}
          {options.map((option, index) => (
            <option key={index} value={index}>
              {option.label}
            </option>
          ))}
        </select>
      );
    case "paragraph":
      // Browsers scroll only the line of the cursor into view.
      return <textarea {...text} rows={4} onFocus={({ target }) => target.scrollIntoView({ block: "nearest" })} />;
    case "number":
    case "integer":
      // Not type="number": the browser would drop an entry that is not a number, and the wheel would change it.
      return <input {...text} type="text" inputMode={kind === "integer" ? "numeric" : "decimal"} />;
    case "datetime-local":
      return <input {...text} type={kind} step={1} />;
    default:
      return <input {...text} type={kind} />;
  }
}
