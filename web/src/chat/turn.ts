/** State of a turn, computed from its events alone, so that a reload shows the same. */
import type { Artifact, Deferred, FinalResponse, TurnError, TurnEvent, TurnOut, Update } from "../api/types";
import type { ToolOutput } from "../canvas/types";
import { applyCallEvent, newToolCall, stopCall, type ToolCall, type ToolCallEvent } from "./toolCall";
import { texts } from "../texts";

export type TurnStatus = "running" | "complete" | "failed" | "cancelled";

/** Part of the answer, in order: reasoning, text, then tool calls, then reasoning and text again. */
export type Part = TextPart | ReasoningPart | { kind: "call"; call: ToolCall };

/** Text of one model round. A higher attempt replaces a lower one. */
export interface TextPart {
  kind: "text";
  round: number;
  attempt: number;
  text: string;
}

/** The model's reasoning before the text or the calls of one round. Without `endedAt`, the model still thinks. */
export interface ReasoningPart {
  kind: "reasoning";
  round: number;
  attempt: number;
  text: string;
  startedAt: string;
  endedAt: string | null;
}

export interface Turn {
  turnId: string;
  sessionId: string;
  message: string;
  /** Keys of the attached files. */
  files: readonly string[];
  createdAt: string;
  status: TurnStatus;
  parts: readonly Part[];
  /** Files and dashboards, in the order of the model's requests. */
  outputs: readonly ToolOutput[];
  /** Messages of tools to the user. */
  notes: readonly string[];
  error: TurnError | null;
  /** Model of the answer; empty until it is known. */
  model: string;
  /** Input and output tokens of all rounds. */
  tokens: number;
  endedAt: string | null;
  /** The turn that it follows (`branches.ts`); null: the one before it in the chat. */
  after: string | null;
  /** What the user thinks of the answer. */
  rating: "up" | "down" | null;
  /** Number of the last applied event. */
  seq: number;
}

type TurnRecord = Pick<TurnOut, "turn_id" | "message" | "created_at" | "status" | "answer" | "error"> & {
  files: readonly string[];
} & Partial<Pick<TurnOut, "model" | "usage" | "ended_at" | "rating" | "after">>;

/** Return a turn without events. Its first event replaces the recorded answer. */
export function turnFromRecord(record: TurnRecord, sessionId: string): Turn {
  return {
    turnId: record.turn_id,
    sessionId,
    message: record.message,
    files: record.files,
    createdAt: record.created_at,
    status: record.status,
    parts: record.answer ? [{ kind: "text", round: 0, attempt: 0, text: record.answer }] : [],
    outputs: [],
    notes: [],
    error: record.error,
    model: record.model ?? "",
    tokens: countTokens(record.usage),
    endedAt: record.ended_at ?? null,
    after: record.after ?? null,
    rating: record.rating ?? null,
    seq: 0,
  };
}

/** Return the turn with new events applied; known events are skipped. `live` marks events of a running turn. */
export function applyEvents(turn: Turn, events: readonly TurnEvent[], live: boolean): Turn {
  return events.reduce((before, event) => (event.seq <= before.seq ? before : applyEvent(before, event, live)), turn);
}

/** Return true if a tool of the turn asks the user a question. */
export function asksUser(turn: Turn): boolean {
  return turn.parts.some((part) => part.kind === "call" && part.call.questions.length > 0);
}

function applyEvent(before: Turn, event: TurnEvent, live: boolean): Turn {
  if (event.type === "reasoning_stream") return { ...before, seq: event.seq, parts: appendReasoning(before.parts, event) };
  const turn: Turn = { ...before, seq: event.seq, parts: endReasoning(before.parts, event.at) };
  switch (event.type) {
    case "turn_started":
      return { ...turn, parts: [], outputs: [], notes: [] };
    case "servers_starting":
      return { ...turn, notes: [...turn.notes, startingNote(event.servers)] };
    case "token_stream":
      return { ...turn, parts: appendText(turn.parts, event) };
    case "intermediate_update":
      return applyUpdate(turn, event, live);
    case "response_complete":
      return event.response === null
        ? { ...turn, status: "complete", endedAt: event.at }
        : complete({ ...turn, endedAt: event.at }, event.response);
    case "turn_failed":
      return { ...turn, status: event.status, error: event.error, endedAt: event.at, parts: mapCalls(turn.parts, stopCall) };
    default:
      return { ...turn, parts: updateCall(turn.parts, event) };
  }
}

function startingNote(servers: readonly string[]): string {
  return texts.turn.starting(servers.join(", "));
}

type TextEvent = Extract<TurnEvent, { type: "token_stream" }>;

/** Append streamed text. A broken stream restarts with a higher attempt, which replaces the text of lower attempts. */
function appendText(parts: readonly Part[], { round, attempt, text }: TextEvent): readonly Part[] {
  const index = parts.findIndex((part) => part.kind === "text" && part.round === round);
  const before = parts[index];
  if (before?.kind !== "text") return [...parts, { kind: "text", round, attempt, text }];
  if (attempt < before.attempt) return parts;
  const newText = attempt > before.attempt ? text : before.text + text;
  return parts.with(index, { kind: "text", round, attempt, text: newText });
}

type ReasoningEvent = Extract<TurnEvent, { type: "reasoning_stream" }>;

/** Append streamed reasoning. As with text, a higher attempt replaces that of lower attempts. */
function appendReasoning(parts: readonly Part[], { round, attempt, text, at }: ReasoningEvent): readonly Part[] {
  const index = parts.findIndex((part) => part.kind === "reasoning" && part.round === round);
  const before = parts[index];
  if (before?.kind !== "reasoning") return [...parts, { kind: "reasoning", round, attempt, text, startedAt: at, endedAt: null }];
  if (attempt < before.attempt) return parts;
  const isNew = attempt > before.attempt;
  const startedAt = isNew ? at : before.startedAt;
  return parts.with(index, { kind: "reasoning", round, attempt, text: isNew ? text : before.text + text, startedAt, endedAt: null });
}

/** Reasoning lasts until anything else happens in the turn. */
function endReasoning(parts: readonly Part[], at: string): readonly Part[] {
  const isOpen = (part: Part): part is ReasoningPart => part.kind === "reasoning" && part.endedAt === null;
  return parts.some(isOpen) ? parts.map((part) => (isOpen(part) ? { ...part, endedAt: at } : part)) : parts;
}

function updateCall(parts: readonly Part[], event: ToolCallEvent): readonly Part[] {
  const isKnown = parts.some((part) => part.kind === "call" && part.call.callId === event.call_id);
  const before = isKnown ? parts : insertCall(parts, newToolCall(event.call_id));
  return mapCalls(before, (call) => (call.callId === event.call_id ? applyCallEvent(call, event) : call));
}

/** Insert a call in the order of call ids, which is the order of the model's requests. Calls may start in any order. */
function insertCall(parts: readonly Part[], call: ToolCall): readonly Part[] {
  const isBefore = (part: Part): boolean => part.kind !== "call" || collator.compare(part.call.callId, call.callId) < 0;
  const index = parts.findLastIndex(isBefore) + 1;
  return parts.toSpliced(index, 0, { kind: "call", call });
}

const collator = new Intl.Collator("en", { numeric: true });

function applyUpdate(turn: Turn, update: Update, live: boolean): Turn {
  if (update.update_type === "notification") return { ...turn, notes: [...turn.notes, update.message] };
  const id = `${turn.turnId}/${update.call_id}`;
  const before = turn.outputs.find((one) => one.id === id) ?? emptyOutput(id, turn.turnId, live);
  const changes = update.update_type === "canvas" ? { dashboard: update.canvas } : splitFiles(update);
  const outputs = [...turn.outputs.filter((one) => one.id !== id), { ...before, ...changes }];
  return { ...turn, outputs: outputs.sort((one, other) => collator.compare(one.id, other.id)) };
}

const NO_HINTS: ToolOutput["display"] = {
  open_canvas: false,
  primary_file: null,
  mode: null,
  viewer_hint: null,
  storage_action: "store",
  category_hint: null,
  notification: null,
};

function emptyOutput(id: string, turnId: string, live: boolean): ToolOutput {
  const display = NO_HINTS;
  return { id, turnId, artifacts: [], deferred: [], display, dashboard: null, live };
}

type FilesUpdate = Extract<Update, { update_type: "files_update" }>;

function splitFiles({ files, display }: FilesUpdate): Pick<ToolOutput, "artifacts" | "deferred" | "display"> {
  const artifacts = files.filter((file): file is Artifact => !isDeferred(file));
  return { artifacts, deferred: files.filter(isDeferred), display };
}

function isDeferred(file: FilesUpdate["files"][number]): file is Deferred {
  return "next_actions" in file;
}

/** Replace the last text, whatever was streamed, with the stored answer. */
function complete(turn: Turn, response: FinalResponse): Turn {
  const last = turn.parts.at(-1);
  const before = last?.kind === "text" ? turn.parts.slice(0, -1) : turn.parts;
  const answer = { ...(last?.kind === "text" ? last : UNSTREAMED_TEXT), text: response.message };
  const { model, usage } = response;
  const parts = response.message ? [...before, answer] : before;
  return { ...turn, status: response.status as TurnStatus, parts, model, tokens: countTokens(usage) };
}

function countTokens(usage: TurnOut["usage"] | undefined): number {
  return (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
}

/** Return the text of the answer, as Markdown and without its tool calls. */
export function answerText(turn: Turn): string {
  return turn.parts.flatMap((part) => (part.kind === "text" && part.text ? [part.text] : [])).join("\n\n");
}

const UNSTREAMED_TEXT: TextPart = { kind: "text", round: Number.MAX_SAFE_INTEGER, attempt: 0, text: "" };

function mapCalls(parts: readonly Part[], change: (call: ToolCall) => ToolCall): Part[] {
  return parts.map((part) => (part.kind === "call" ? { kind: "call", call: change(part.call) } : part));
}
