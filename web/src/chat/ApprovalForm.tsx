import { type FormEvent, useId, useState } from "react";
import { api, unwrap } from "../api/client";
import { Button } from "../shared/Button";
import { Countdown } from "../shared/Countdown";
import { showError } from "../shared/notifications";
import { type ArgumentField, fieldsFrom, readValues } from "./argumentFields";
import type { ToolCall } from "./toolCall";

interface ApprovalFormProps {
  call: ToolCall;
  turnPath: { session_id: string; turn_id: string };
}

/** Ask the user to allow or deny a tool call. The user may edit its arguments first. */
export function ApprovalForm({ call, turnPath }: ApprovalFormProps) {
  const [isSubmitted, setSubmitted] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const fields = fieldsFrom(call.arguments);

  const submit = (decision: { approved: boolean; arguments?: Record<string, unknown>; reason?: string }): void => {
    setSubmitted(true);
    const path = { ...turnPath, call_id: call.callId };
    const route = "/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/approval";
    unwrap(api.POST(route, { params: { path }, body: decision })).catch((reason: unknown) => {
      setSubmitted(false);
      showError(reason);
    });
  };
  const allow = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const result = readValues(fields, new FormData(event.currentTarget));
    if ("error" in result) setError(result.error);
    else submit({ approved: true, ...(result.isChanged ? { arguments: result.values } : {}) });
  };
  return (
    <form className="approval" aria-label={`Approval for ${call.tool}`} onSubmit={allow}>
      <p>
        Allow <strong>{call.tool}</strong> to run?
        {call.expiresAt && <Countdown from={call.expiresAt} seconds={0} />}
      </p>
      {fields.map((field) => (
        <ArgumentInput key={field.name} field={field} />
      ))}
      {error && (
        <p className="error-message" role="alert">
          {error}
        </p>
      )}
      <div className="row">
        <Button type="submit" className="primary" disabled={isSubmitted}>
          Allow
        </Button>
        <Button disabled={isSubmitted} onClick={() => submit({ approved: false })}>
          Deny
        </Button>
      </div>
    </form>
  );
}

function ArgumentInput({ field: { name, kind, text } }: { field: ArgumentField }) {
  const id = useId();
  return (
    <div className="argument">
      <label htmlFor={id}>{name}</label>
      {kind === "boolean" ? (
        <input id={id} name={name} type="checkbox" defaultChecked={text === "true"} />
      ) : (
        <textarea id={id} name={name} rows={Math.min(6, text.split("\n").length)} defaultValue={text} spellCheck={false} />
      )}
    </div>
  );
}
