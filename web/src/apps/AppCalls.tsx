import { ToolCallView } from "../chat/ToolCallView";
import { isOpen } from "../chat/toolCall";
import { withErrorToast } from "../shared/notifications";
import { type AppCall, cancelCall } from "./calls";
import { useGuard } from "./useGuard";

const LABELS = { running: "running", done: "done", failed: "failed" };

/** The tool calls of an app, the latest last. Approvals and questions of a running call are shown in full. */
export function AppCalls({ calls }: { calls: readonly AppCall[] }) {
  const open = calls.filter((call) => call.turn?.parts.some((part) => part.kind === "call" && isOpen(part.call)));
  if (calls.length === 0) return null;
  return (
    <div className="app-calls">
      <details>
        <summary>Tools called by the app ({calls.length})</summary>
        <ul>
          {calls.map((call) => (
            <li key={call.id}>
              {call.tool}: {LABELS[call.status]}
            </li>
          ))}
        </ul>
      </details>
      {open.map((call) => (
        <OpenCall key={call.id} call={call} />
      ))}
    </div>
  );
}

function OpenCall({ call: { turn } }: { call: AppCall }) {
  const asks = turn?.parts.some((part) => part.kind === "call" && part.call.status !== "running");
  const isGuarded = useGuard(asks);
  if (!turn) return null;
  const turnPath = { session_id: turn.sessionId, turn_id: turn.turnId };
  return (
    <div inert={isGuarded}>
      {turn.parts.map(
        (part) =>
          part.kind === "call" && (
            <ToolCallView
              key={part.call.callId}
              call={part.call}
              turnPath={turnPath}
              onCancel={() => void withErrorToast(() => cancelCall(turn))}
            />
          ),
      )}
    </div>
  );
}
