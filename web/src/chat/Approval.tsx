import { type FormEvent, useId, useState } from "react";
import { api, ask } from "../api/client";
import { Countdown } from "../shared/Countdown";
import { PausableButton } from "../shared/PausableButton";
import { explain } from "../shared/toasts";
import type { Call } from "./call";
import { fieldsOf, valuesOf, type Field } from "./fields";

interface ApprovalProps {
  call: Call;
  turnPath: { session_id: string; turn_id: string };
}

/** A tool may be called only if its owner says so, who may change what it is called with. */
export function Approval({ call, turnPath }: ApprovalProps) {
  const [said, setSaid] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  const fields = fieldsOf(call.arguments);

  const decide = (decision: { approved: boolean; arguments?: Record<string, unknown>; reason?: string }): void => {
    setSaid(true);
    const path = { ...turnPath, call_id: call.callId };
    const address = "/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/approval";
    ask(api.POST(address, { params: { path }, body: decision })).catch((error: unknown) => {
      setSaid(false);
      explain(error);
    });
  };
  const approve = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const read = valuesOf(fields, new FormData(event.currentTarget));
    if ("wrong" in read) setWrong(read.wrong);
    else decide({ approved: true, ...(read.changed ? { arguments: read.values } : {}) });
  };
  return (
    <form className="approval" aria-label={`Approval of ${call.tool}`} onSubmit={approve}>
      <p>
        <strong>{call.tool}</strong> is to be called. May it?
        {call.expiresAt && <Countdown from={call.expiresAt} seconds={0} />}
      </p>
      {fields.map((field) => (
        <Argument key={field.name} field={field} />
      ))}
      {wrong && (
        <p className="trouble" role="alert">
          {wrong}
        </p>
      )}
      <div className="row">
        <PausableButton type="submit" className="primary" paused={said}>
          Approve
        </PausableButton>
        <PausableButton paused={said} onClick={() => decide({ approved: false })}>
          Refuse
        </PausableButton>
      </div>
    </form>
  );
}

function Argument({ field: { name, kind, text } }: { field: Field }) {
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
