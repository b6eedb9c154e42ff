import { type FormEvent, useEffect, useId, useState } from "react";
import { api, unwrap } from "../api/client";
import type { ApprovalRequest, ToolServer } from "../api/types";
import type { AsyncState } from "../canvas/useAsync";
import { Button } from "../shared/Button";
import { Countdown } from "../shared/Countdown";
import { showError } from "../shared/notifications";
import { firstSentence } from "../tools/description";
import { ToolLabel } from "../tools/ToolLabel";
import { useServers } from "../tools/useServers";
import { alwaysAllow, isAlwaysAllowed } from "./allowedTools";
import { type ArgumentField, fieldsFrom, readValues } from "./argumentFields";
import type { ToolCall } from "./toolCall";
import { texts } from "../texts";
import { Phrase } from "../shared/Phrase";

interface ApprovalFormProps {
  call: ToolCall;
  turnPath: { session_id: string; turn_id: string };
}

const ROUTE = "/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/approval";

/**
 * Ask the user to allow or deny a tool call. The user may edit its arguments first.
 *
 * The tool and the arguments come from the call's record, with a digest that the approval names, not from an event.
 * The form waits for what the server says about the tool: later, that would move the buttons under the pointer.
 */
export function ApprovalForm({ call, turnPath }: ApprovalFormProps) {
  const [request, setRequest] = useState<ApprovalRequest | null>(null);
  const [isSubmitted, setSubmitted] = useState(false);
  const [isAlways, setAlways] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const servers = useServers();
  const { session_id, turn_id } = turnPath;
  const params = { path: { session_id, turn_id, call_id: call.callId } };

  useEffect(() => {
    const controller = new AbortController();
    const path = { session_id, turn_id, call_id: call.callId };
    const show = async (loaded: ApprovalRequest): Promise<void> => {
      setRequest(loaded);
      if (!isAlwaysAllowed(session_id, loaded.tool)) return;
      setSubmitted(true);
      await unwrap(api.POST(ROUTE, { params: { path }, body: { approved: true, digest: loaded.digest } }));
    };
    unwrap(api.GET(ROUTE, { params: { path }, signal: controller.signal })).then(show).catch((reason: unknown) => {
      setSubmitted(false);
      if (!controller.signal.aborted) showError(reason);
    });
    return () => controller.abort();
  }, [session_id, turn_id, call.callId]);

  if (!request || servers.status === "loading") return null;
  const fields = fieldsFrom(request.arguments);
  const submit = (decision: { approved: boolean; digest?: string; arguments?: Record<string, unknown> }): void => {
    setSubmitted(true);
    unwrap(api.POST(ROUTE, { params, body: decision })).catch((reason: unknown) => {
      setSubmitted(false);
      showError(reason);
    });
  };
  const allow = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const result = readValues(fields, new FormData(event.currentTarget));
    if ("error" in result) setError(result.error);
    else {
      if (isAlways) alwaysAllow(session_id, request.tool);
      submit({ approved: true, digest: request.digest, ...(result.isChanged ? { arguments: result.values } : {}) });
    }
  };
  return (
    <form className="approval" aria-label={texts.approval.label(request.tool)} onSubmit={allow}>
      <p>
        <Phrase text={texts.approval.question} parts={{ tool: <strong>{request.tool}</strong> }} />
      </p>
      {call.expiresAt && (
        <p className="deadline">
          <Countdown from={call.expiresAt} seconds={0} text={texts.approval.deadline} />
        </p>
      )}
      <Stated name={request.tool} servers={servers} />
      {fields.length > 0 && <p className="faint">{texts.approval.editable}</p>}
      {fields.map((field) => (
        <ArgumentInput key={field.name} field={field} />
      ))}
      {error && (
        <p className="error-message" role="alert">
          {error}
        </p>
      )}
      <label className="switch">
        <input type="checkbox" checked={isAlways} onChange={(event) => setAlways(event.target.checked)} />
        {texts.approval.always(request.tool)}
      </label>
      <div className="row">
        <Button type="submit" className="primary" disabled={isSubmitted}>
          {texts.approval.allow}
        </Button>
        <Button disabled={isSubmitted} onClick={() => submit({ approved: false })}>
          {texts.approval.deny}
        </Button>
      </div>
    </form>
  );
}

/** What the server says about the tool: what it does, or that it may destroy something. Without an answer, nothing is shown. */
function Stated({ name, servers }: { name: string; servers: AsyncState<readonly ToolServer[]> }) {
  if (servers.status !== "loaded") return null;
  const tool = servers.value.flatMap(({ tools }) => tools).find((each) => `${each.server}.${each.name}` === name);
  if (!tool) return null;
  return (
    <>
      <ToolLabel tool={tool} />
      {tool.description && <p>{firstSentence(tool.description)}</p>}
    </>
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
