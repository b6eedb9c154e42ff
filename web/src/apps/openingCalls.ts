/** Calls that open an app: the canvas opens it when the call starts, if a page of it is known. */
import { errorOf, isOpen } from "../chat/toolCall";
import type { Part, Turn } from "../chat/turn";

export interface OpeningCall {
  /** `{turn_id}/{call_id}`, as in its output. */
  id: string;
  sessionId: string;
  turnId: string;
  callId: string;
  isRunning: boolean;
  /** Why the app gets no result; null while it may get one. */
  failure: string | null;
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

function failureOf(turn: Turn, call: Extract<Part, { kind: "call" }>["call"], id: string): string | null {
  if (call.status === "failed") return errorOf(call);
  if (turn.status === "running") return null;
  if (call.status === "stopped") return turn.error?.message ?? "The call was stopped.";
  const output = turn.outputs.find((one) => one.id === id);
  return output?.artifacts.some((file) => file.viewer === "app") ? null : "The result cannot be shown by the app.";
}
