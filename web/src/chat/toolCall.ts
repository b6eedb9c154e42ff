/** State of one tool call, computed from its events. */
import type { TurnEvent } from "../api/types";
import type { MetaData } from "./metaData";
import { texts } from "../texts";

export type ToolCallStatus = "needs-approval" | "needs-input" | "running" | "done" | "failed" | "denied" | "stopped";

export interface ToolCall {
  callId: string;
  tool: string;
  server: string;
  status: ToolCallStatus;
  arguments: unknown;
  /** The address of the app that shows the result; null without an app, and before the call starts. */
  appUri: string | null;
  results: unknown;
  /** Facts of the tool about its result, and problems such as a file that was not stored. */
  metaData: MetaData;
  errorCode: string | null;
  startedAt: string | null;
  milliseconds: number | null;
  progress: { percentage: number | null; message: string } | null;
  /** Warning that the tool reports no progress: it fails `secondsLeft` after `at`. */
  notice: { secondsLeft: number; message: string; at: string } | null;
  logs: readonly { level: string; message: string }[];
  /** Deadline of a pending approval. */
  expiresAt: string | null;
  /** The tool's open questions to the user, oldest first. */
  questions: readonly Question[];
  /** Reason for the denial. */
  reason: string | null;
  /** Advice on how to fix a failed call. */
  suggestion: string | null;
}

/** A question of a tool: a form, or a page of another site that the user is to visit. */
export type Question = Extract<TurnEvent, { type: "input_requested" }>;

export type ToolCallEvent = Extract<TurnEvent, { call_id: string }>;
type ToolCompleteEvent = Extract<TurnEvent, { type: "tool_complete" }>;

const MAX_LOGS = 200;
const NOTHING_OPEN = { progress: null, notice: null, expiresAt: null, questions: [] } as const;

export function newToolCall(callId: string): ToolCall {
  return {
    callId,
    tool: "",
    server: "",
    status: "running",
    arguments: null,
    appUri: null,
    results: null,
    metaData: {},
    errorCode: null,
    startedAt: null,
    milliseconds: null,
    progress: null,
    notice: null,
    logs: [],
    expiresAt: null,
    questions: [],
    reason: null,
    suggestion: null,
  };
}

/** Return the call with an event applied. */
export function applyCallEvent(call: ToolCall, event: ToolCallEvent): ToolCall {
  switch (event.type) {
    case "tool_approval_request": {
      const { tool, server, expires_at: expiresAt } = event;
      return { ...call, status: "needs-approval", tool, server, expiresAt };
    }
    case "tool_approval":
      return { ...call, status: event.approved ? "running" : "denied", reason: event.reason };
    case "input_requested":
      return withQuestions({ ...call, tool: event.tool, notice: null }, [...call.questions, event]);
    case "input_answered":
      return withQuestions(
        call,
        call.questions.filter((question) => question.input_id !== event.input_id),
      );
    case "tool_start": {
      const { tool, server, arguments: callArguments, app_uri: appUri, at } = event;
      const status = call.status === "denied" ? "denied" : "running"; // a denied call also starts, and ends at once
      return { ...call, status, tool, server, arguments: callArguments, appUri: appUri ?? null, startedAt: at };
    }
    case "tool_progress": {
      const { percentage, message } = event;
      return { ...call, progress: { percentage, message }, notice: null };
    }
    case "tool_notice":
      return { ...call, notice: { secondsLeft: event.left_seconds, message: event.message, at: event.at } };
    case "tool_log":
      return { ...call, logs: [...call.logs, { level: event.level, message: event.message }].slice(-MAX_LOGS) };
    case "tool_complete":
      return completeCall(call, event);
    default:
      return call;
  }
}

function withQuestions(call: ToolCall, questions: readonly Question[]): ToolCall {
  return { ...call, questions, status: questions.length > 0 ? "needs-input" : "running" };
}

function completeCall(call: ToolCall, event: ToolCompleteEvent): ToolCall {
  const status: ToolCallStatus = event.is_error ? (call.status === "denied" ? "denied" : "failed") : "done";
  return {
    ...call,
    status,
    tool: call.tool || event.tool,
    results: event.results,
    metaData: event.meta_data ?? {},
    errorCode: event.error_code,
    suggestion: event.suggestion,
    milliseconds: call.startedAt ? Date.parse(event.at) - Date.parse(call.startedAt) : null,
    ...NOTHING_OPEN,
  };
}

/** Return the call as it is after its turn ended: stopped if it was not complete. */
export function stopCall(call: ToolCall): ToolCall {
  return isOpen(call) ? { ...call, status: "stopped", ...NOTHING_OPEN } : call;
}

/** Return true if the call runs or waits for the user. */
export function isOpen({ status }: ToolCall): boolean {
  return status === "running" || status === "needs-approval" || status === "needs-input";
}

/** Return true if the result of a failed call is its error message, which the call shows anyway, and nothing else. */
export function isErrorOnly(call: ToolCall): boolean {
  if (call.status !== "failed" || call.results === null || typeof call.results !== "object") return false;
  return Object.keys(call.results).every((key) => key === "error");
}

/** Return the error message of a failed call; null for any other call. */
export function errorOf(call: ToolCall): string | null {
  if (call.status !== "failed") return null;
  const hasMessage = call.results !== null && typeof call.results === "object" && "error" in call.results;
  return hasMessage ? String((call.results as { error: unknown }).error) : texts.call.failed;
}
