/** Tool calls of an app: each runs in a turn of its own, which the page follows if it takes longer than a moment. */
import type { CallToolResult } from "@modelcontextprotocol/client";
import { api, followTurn, unwrap } from "../api/client";
import type { AppCallResult, OpenApp } from "../api/types";
import { applyEvents, type Turn, turnFromRecord } from "../chat/turn";
import type { AppFiles } from "./files";

/** A call of the app, for the list under its frame. */
export interface AppCall {
  id: string;
  tool: string;
  status: "running" | "done" | "failed";
  /** The turn of a call that takes longer: its approval, questions and progress. */
  turn: Turn | null;
}

/** Calls that take longer are followed. */
const WAIT_SECONDS = 2;

/** Call a tool of the app's server. `onChange` gets the state of the call. Failures become results with `isError`. */
export async function callTool(
  app: OpenApp,
  tool: string,
  args: Record<string, unknown>,
  files: AppFiles,
  signal: AbortSignal,
  onChange: (call: AppCall) => void,
): Promise<CallToolResult> {
  const call: AppCall = { id: crypto.randomUUID(), tool, status: "running", turn: null };
  onChange(call);
  try {
    const ended = await run(app, call, args, signal, onChange);
    const result = files.link(ended.result as CallToolResult, ended.files ?? []);
    onChange({ ...call, status: result.isError ? "failed" : "done" });
    return result;
  } catch (error) {
    onChange({ ...call, status: "failed" });
    return { content: [{ type: "text", text: error instanceof Error ? error.message : String(error) }], isError: true };
  }
}

async function run(
  app: OpenApp,
  call: AppCall,
  args: Record<string, unknown>,
  signal: AbortSignal,
  onChange: (call: AppCall) => void,
): Promise<AppCallResult> {
  const params = {
    path: { app_key: app.file_key },
    query: { version: app.version },
    header: { prefer: `wait=${WAIT_SECONDS}` },
  };
  const body = { tool: call.tool, arguments: args as never };
  const started = await unwrap(api.POST("/api/apps/{app_key}/calls", { params, body, signal }));
  if (started.result) return started;
  const { turn_id: turnId, session_id: sessionId } = started;
  const record = { turn_id: turnId, message: "", created_at: new Date().toISOString(), status: "running" as const };
  let turn = turnFromRecord({ ...record, answer: "", error: null, files: [] }, sessionId);
  onChange({ ...call, turn });
  await followTurn({
    sessionId,
    turnId,
    after: 0,
    signal,
    onEvents: (events) => {
      turn = applyEvents(turn, events, true);
      onChange({ ...call, turn });
    },
  });
  const path = { session_id: sessionId, app_turn_id: turnId };
  const ended = await unwrap(api.GET("/api/sessions/{session_id}/app-calls/{app_turn_id}", { params: { path }, signal }));
  if (!ended.result) throw new Error("The call has no result.");
  return ended;
}

/** Cancel the turn of a call. */
export async function cancelCall(turn: Turn): Promise<void> {
  const path = { session_id: turn.sessionId, turn_id: turn.turnId };
  await unwrap(api.DELETE("/api/sessions/{session_id}/turns/{turn_id}", { params: { path } }));
}
