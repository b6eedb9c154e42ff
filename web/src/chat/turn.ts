/** A turn as it is shown: what its events add up to. Nothing else goes in, so a reload shows the same. */
import type { Artifact, Deferred, FinalResponse, TurnError, TurnEvent, TurnOut, Update } from "../api/types";
import type { Made } from "../canvas/feed";
import { type Call, callEnded, callStopped, newCall } from "./call";

export type TurnStatus = "running" | "complete" | "failed" | "cancelled";

/** The answer in the order in which it came: text, then calls, then text again. */
export type Part = TextPart | { kind: "call"; call: Call };

/** What the model said in one of its rounds; a higher attempt takes the place of a lower one. */
export interface TextPart {
  kind: "text";
  round: number;
  attempt: number;
  text: string;
}

export interface Turn {
  turnId: string;
  sessionId: string;
  message: string;
  createdAt: string;
  status: TurnStatus;
  parts: readonly Part[];
  made: readonly Made[];
  /** What tools want the person told about their files. */
  notes: readonly string[];
  error: TurnError | null;
  /** The last event that is in here. */
  seq: number;
}

type Record = Pick<TurnOut, "turn_id" | "message" | "created_at" | "status" | "answer" | "error">;

/** A turn of which only the record is known: its events come later, and take the place of the answer. */
export function turnOf(record: Record, sessionId: string): Turn {
  return {
    turnId: record.turn_id,
    sessionId,
    message: record.message,
    createdAt: record.created_at,
    status: record.status,
    parts: record.answer ? [{ kind: "text", round: 0, attempt: 0, text: record.answer }] : [],
    made: [],
    notes: [],
    error: record.error,
    seq: 0,
  };
}

/** Add events to a turn. Those that it has already are passed over. `live`: they come as they happen. */
export function withEvents(turn: Turn, events: readonly TurnEvent[], live: boolean): Turn {
  return events.reduce((before, event) => (event.seq <= before.seq ? before : withEvent(before, event, live)), turn);
}

function withEvent(before: Turn, event: TurnEvent, live: boolean): Turn {
  const turn: Turn = { ...before, seq: event.seq };
  switch (event.type) {
    case "turn_started":
      return { ...turn, parts: [], made: [], notes: [] };
    case "token_stream":
      return { ...turn, parts: withText(turn.parts, event) };
    case "intermediate_update":
      return withUpdate(turn, event, live);
    case "response_complete":
      return completed(turn, event.response);
    case "turn_failed":
      return { ...turn, status: event.status, error: event.error, parts: changeCalls(turn.parts, callStopped) };
    default:
      return { ...turn, parts: withCallEvent(turn.parts, event) };
  }
}

/** A stream that broke begins again as a higher attempt: what lower ones said in that round is not the answer. */
function withText(parts: readonly Part[], { round, attempt, text }: TextEvent): readonly Part[] {
  const at = parts.findIndex((part) => part.kind === "text" && part.round === round);
  const before = parts[at];
  if (before?.kind !== "text") return [...parts, { kind: "text", round, attempt, text }];
  if (attempt < before.attempt) return parts;
  const whole = attempt > before.attempt ? text : before.text + text;
  return parts.with(at, { kind: "text", round, attempt, text: whole });
}

type TextEvent = Extract<TurnEvent, { type: "token_stream" }>;
type CallEvent = Extract<TurnEvent, { call_id: string }>;

function withCallEvent(parts: readonly Part[], event: CallEvent): readonly Part[] {
  const known = parts.some((part) => part.kind === "call" && part.call.callId === event.call_id);
  const before = known ? parts : withCall(parts, newCall(event.call_id));
  return changeCalls(before, (call) => (call.callId === event.call_id ? callWith(call, event) : call));
}

/** Calls of one round start in any order, and stand in the one in which they were asked for: that of their ids. */
function withCall(parts: readonly Part[], call: Call): readonly Part[] {
  const isBefore = (part: Part): boolean => part.kind === "text" || order.compare(part.call.callId, call.callId) < 0;
  const at = parts.findLastIndex(isBefore) + 1;
  return parts.toSpliced(at, 0, { kind: "call", call });
}

const order = new Intl.Collator("en", { numeric: true });

function callWith(call: Call, event: CallEvent): Call {
  switch (event.type) {
    case "tool_approval_request": {
      const { tool, server, arguments: given, expires_at: expiresAt } = event;
      return { ...call, status: "asked", tool, server, arguments: given, expiresAt };
    }
    case "tool_approval":
      return { ...call, status: event.approved ? "running" : "refused", reason: event.reason };
    case "tool_start": {
      const { tool, server, arguments: given, at } = event;
      const status = call.status === "refused" ? "refused" : "running"; // a refused call is begun, too, and ends at once
      return { ...call, status, tool, server, arguments: given, startedAt: at };
    }
    case "tool_progress": {
      const { percentage, message } = event;
      return { ...call, progress: { percentage, message }, notice: null };
    }
    case "tool_notice":
      return { ...call, notice: { left: event.left_seconds, message: event.message, at: event.at } };
    case "tool_log":
      return { ...call, logs: [...call.logs, { level: event.level, message: event.message }].slice(-MOST_LOGS) };
    case "tool_complete":
      return callEnded(call, event);
    default:
      return call;
  }
}

const MOST_LOGS = 200;

function withUpdate(turn: Turn, update: Update, live: boolean): Turn {
  if (update.update_type === "notification") return { ...turn, notes: [...turn.notes, update.message] };
  const id = `${turn.turnId}/${update.call_id}`;
  const found = turn.made.find((one) => one.id === id) ?? nothing(id, turn.turnId, live);
  const made = update.update_type === "canvas" ? { ...found, dashboard: update.canvas } : { ...found, ...sorted(update) };
  return { ...turn, made: [...turn.made.filter((one) => one.id !== id), made] };
}

function nothing(id: string, turnId: string, live: boolean): Made {
  const display = { open_canvas: false, storage_action: "store" };
  return { id, turnId, artifacts: [], deferred: [], display, dashboard: null, live };
}

type FilesUpdate = Extract<Update, { update_type: "files_update" }>;

function sorted({ files, display }: FilesUpdate): Pick<Made, "artifacts" | "deferred" | "display"> {
  const artifacts = files.filter((file): file is Artifact => !isDeferred(file));
  return { artifacts, deferred: files.filter(isDeferred), display };
}

function isDeferred(file: FilesUpdate["files"][number]): file is Deferred {
  return "next_actions" in file;
}

/** The answer as it is kept stands, whatever was streamed. */
function completed(turn: Turn, response: FinalResponse): Turn {
  const last = turn.parts.at(-1);
  const before = last?.kind === "text" ? turn.parts.slice(0, -1) : turn.parts;
  const answer = { ...(last?.kind === "text" ? last : LAST_WORD), text: response.message };
  return { ...turn, status: response.status as TurnStatus, parts: response.message ? [...before, answer] : before };
}

/** An answer of which nothing was streamed. */
const LAST_WORD: TextPart = { kind: "text", round: Number.MAX_SAFE_INTEGER, attempt: 0, text: "" };

function changeCalls(parts: readonly Part[], change: (call: Call) => Call): Part[] {
  return parts.map((part) => (part.kind === "call" ? { kind: "call", call: change(part.call) } : part));
}
