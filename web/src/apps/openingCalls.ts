/** Calls that open an app: the canvas opens it when the call starts, if a page of it is known. */
import { errorOf, isOpen } from "../chat/toolCall";
import type { CallFailure } from "../canvas/item";
import type { Part, Turn } from "../chat/turn";

/** The error code of a call whose tool answered with an error. The others are of Satchel, such as a timeout. */
const TOOL_FAILED = "E_TOOL_FAILED";

export interface OpeningCall {
  /** `{turn_id}/{call_id}`, as in its output. */
  id: string;
  sessionId: string;
  turnId: string;
  callId: string;
  isRunning: boolean;
  /** Null while the call may succeed. */
  failure: CallFailure | null;
}

/** Return the calls of tools with an app, in a session. */
export function openingCallsOf(turns: readonly Turn[], sessionId: string | null): readonly OpeningCall[] {
  const ofSession = turns.filter((turn) => turn.sessionId === sessionId);
  return ofSession.flatMap((turn) => turn.parts.flatMap((part) => toOpeningCall(turn, part) ?? []));
}

function toOpeningCall(turn: Turn, part: Part): OpeningCall | null {
  if (part.kind !== "call" || part.call.appUri === null) return null;
  const { callId } = part.call;
  const id = `${turn.turnId}/${callId}`;
  const isRunning = isOpen(part.call) && turn.status === "running";
  const { sessionId, turnId } = turn;
  return { id, sessionId, turnId, callId, isRunning, failure: failureOf(turn, part.call, id) };
}

function failureOf(turn: Turn, call: Extract<Part, { kind: "call" }>["call"], id: string): CallFailure | null {
  const withoutResult = (message: string): CallFailure => ({ message, isResult: false });
  const error = errorOf(call);
  if (error !== null) return { message: error, isResult: call.errorCode === TOOL_FAILED };
  if (turn.status === "running") return null;
  if (call.status === "stopped") return withoutResult(turn.error?.message ?? "The call was stopped.");
  const output = turn.outputs.find((one) => one.id === id);
  return output?.artifacts.some((file) => file.viewer === "app") ? null : withoutResult("The result cannot be shown by the app.");
}
