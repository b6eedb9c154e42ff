/** One tool call as it is shown. */
import type { TurnEvent } from "../api/types";

export type CallStatus = "asked" | "running" | "done" | "failed" | "refused" | "stopped";

export interface Call {
  callId: string;
  tool: string;
  server: string;
  status: CallStatus;
  arguments: unknown;
  results: unknown;
  errorCode: string | null;
  startedAt: string | null;
  milliseconds: number | null;
  progress: { percentage: number | null; message: string } | null;
  /** The tool is silent; from `at` on it may be for `left` more seconds. */
  notice: { left: number; message: string; at: string } | null;
  logs: readonly { level: string; message: string }[];
  /** While its owner is asked: until when. */
  expiresAt: string | null;
  /** Why it was refused. */
  reason: string | null;
  /** What may help after an error. */
  suggestion: string | null;
}

export function newCall(callId: string): Call {
  return {
    callId,
    tool: "",
    server: "",
    status: "running",
    arguments: null,
    results: null,
    errorCode: null,
    startedAt: null,
    milliseconds: null,
    progress: null,
    notice: null,
    logs: [],
    expiresAt: null,
    reason: null,
    suggestion: null,
  };
}

type Complete = Extract<TurnEvent, { type: "tool_complete" }>;

export function callEnded(call: Call, end: Complete): Call {
  const status: CallStatus = end.is_error ? (call.status === "refused" ? "refused" : "failed") : "done";
  return {
    ...call,
    status,
    tool: call.tool || end.tool,
    results: end.results,
    errorCode: end.error_code,
    suggestion: end.suggestion,
    milliseconds: call.startedAt ? Date.parse(end.at) - Date.parse(call.startedAt) : null,
    progress: null,
    notice: null,
    expiresAt: null,
  };
}

/** The turn ended while it ran. */
export function callStopped(call: Call): Call {
  const open = call.status === "running" || call.status === "asked";
  return open ? { ...call, status: "stopped", notice: null, progress: null, expiresAt: null } : call;
}

/** What went wrong, in words; null where nothing did. */
export function troubleOf(call: Call): string | null {
  if (call.status !== "failed") return null;
  const said = call.results !== null && typeof call.results === "object" && "error" in call.results;
  return said ? String((call.results as { error: unknown }).error) : "The tool failed.";
}
