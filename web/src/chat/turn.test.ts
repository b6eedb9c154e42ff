import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../api/types";
import { errorOf } from "./toolCall";
import { answerText, applyEvents, asksUser, type Turn, turnFromRecord } from "./turn";

const RECORD = {
  turn_id: "t1",
  message: "Summarise sales.csv",
  files: [],
  answer: "",
  status: "running",
  error: null,
  created_at: "2026-01-01T00:00:00Z",
  ended_at: null,
} as const;
const NEW_TURN = turnFromRecord(RECORD, "s1");

/** Number the events, one second apart. */
function numbered(...events: object[]): TurnEvent[] {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  return events.map((event, index) => ({ seq: index + 1, turn_id: "t1", at: at(index), ...event }) as TurnEvent);
}

const TURN_STARTED = { type: "turn_started", session_id: "s1" };
const TOOL_START = { type: "tool_start", call_id: "c1", tool: "report.summarise", server: "report", arguments: { n: 1 } };
const text = (words: string, round = 0, attempt = 1) => ({ type: "token_stream", text: words, round, attempt });
const turnAfter = (...events: object[]): Turn => applyEvents(NEW_TURN, numbered(TURN_STARTED, ...events), true);
const firstCall = (turn: Turn) => turn.parts.flatMap((part) => (part.kind === "call" ? [part.call] : []))[0];

describe("the answer", () => {
  test("grows with streamed text", () => {
    expect(turnAfter(text("One "), text("two")).parts).toMatchObject([{ kind: "text", text: "One two" }]);
  });

  test("continues below a tool call", () => {
    expect(turnAfter(text("Let me see."), TOOL_START, text("It is 3.", 1)).parts.map((part) => part.kind)).toEqual([
      "text",
      "call",
      "text",
    ]);
  });

  test("has the reasoning before it, with its duration", () => {
    const think = (words: string, round = 0, attempt = 0) => ({ type: "reasoning_stream", text: words, round, attempt });
    const turn = turnAfter(think("Let me "), think("see"), text("One", 0, 0), TOOL_START, think("Wrong", 1), think("Right", 1, 1));

    expect(turn.parts).toMatchObject([
      { kind: "reasoning", text: "Let me see", startedAt: "2026-01-01T00:00:01.000Z", endedAt: "2026-01-01T00:00:03.000Z" },
      { kind: "text", text: "One" },
      { kind: "call" },
      { kind: "reasoning", text: "Right", endedAt: null },
    ]);
    expect(answerText(turn)).toBe("One");
  });

  test("restarts only the round whose stream restarted", () => {
    const turn = turnAfter(
      text("First."),
      TOOL_START,
      text("Hal", 1),
      text("Whole", 1, 2),
      text("f", 1, 1),
      text(" answer", 1, 2),
    );

    expect(turn.parts).toMatchObject([{ text: "First." }, { kind: "call" }, { text: "Whole answer" }]);
  });

  test("is the stored message when the response is complete, whatever was streamed", () => {
    const response = { turn_id: "t1", session_id: "s1", status: "complete", message: "Whole", tool_calls: [] };

    const turn = turnAfter(TOOL_START, text("Who", 1), { type: "response_complete", response });

    expect(turn.parts.at(-1)).toMatchObject({ kind: "text", text: "Whole" });
    expect(turn.status).toBe("complete");
  });
});

describe("a tool call", () => {
  test("shows a timeout notice until the next progress event", () => {
    const notice = { type: "tool_notice", call_id: "c1", seconds: 15, left_seconds: 15, message: "Still at it" };
    const progress = { type: "tool_progress", call_id: "c1", progress: 1, total: 4, percentage: 25, message: "one" };

    expect(firstCall(turnAfter(TOOL_START, notice))?.notice).toMatchObject({ secondsLeft: 15, message: "Still at it" });
    expect(firstCall(turnAfter(TOOL_START, notice, progress))).toMatchObject({
      notice: null,
      progress: { percentage: 25, message: "one" },
    });
  });

  test("is placed in the order of call ids, whenever it starts", () => {
    const start = (id: string) => ({ ...TOOL_START, call_id: id });
    const turn = turnAfter(
      text("So."),
      start("t1-00-02"),
      start("t1-00-100"),
      start("t1-00-01"),
      text("And.", 1),
      start("t1-01-00"),
    );

    const ids = turn.parts.map((part) => (part.kind === "call" ? part.call.callId : part.text));
    expect(ids).toEqual(["So.", "t1-00-01", "t1-00-02", "t1-00-100", "And.", "t1-01-00"]);
  });

  test("has its results and duration after completion", () => {
    const complete = { type: "tool_complete", call_id: "c1", tool: "report.summarise", is_error: false, results: [3] };

    expect(firstCall(turnAfter(TOOL_START, complete))).toMatchObject({ status: "done", results: [3], milliseconds: 1000 });
  });

  test("has its error message and suggestion after a failure", () => {
    const failure = { type: "tool_complete", call_id: "c1", is_error: true, results: { error: "No." }, suggestion: "Less" };

    const call = firstCall(turnAfter(TOOL_START, failure));

    expect(call).toMatchObject({ status: "failed", suggestion: "Less" });
    expect(call && errorOf(call)).toBe("No.");
  });

  test("is denied, not failed, after the user denied it", () => {
    const request = { ...TOOL_START, type: "tool_approval_request", expires_at: "2026-01-01T01:00:00Z" };
    const denial = { type: "tool_approval", call_id: "c1", approved: false, edited: false, reason: "no" };
    const complete = { type: "tool_complete", call_id: "c1", tool: "x.y", is_error: true, results: { error: "refused" } };

    expect(firstCall(turnAfter(request))?.status).toBe("needs-approval");
    expect(firstCall(turnAfter(request, denial, TOOL_START, complete))).toMatchObject({ status: "denied", reason: "no" });
  });

  test("needs input until each of its questions is answered", () => {
    const ask = (input_id: string) => ({ type: "input_requested", call_id: "c1", input_id, mode: "form", tool: "x.y" });
    const answer = (input_id: string) => ({ type: "input_answered", call_id: "c1", input_id, action: "accept" });
    const openAfter = (...events: object[]) => {
      const call = firstCall(turnAfter(TOOL_START, ...events));
      return [call?.status, ...(call?.questions ?? []).map((question) => question.input_id)];
    };

    expect(openAfter(ask("i1"), ask("i2"))).toEqual(["needs-input", "i1", "i2"]);
    expect(openAfter(ask("i1"), ask("i2"), answer("i1"))).toEqual(["needs-input", "i2"]);
    expect(openAfter(ask("i1"), ask("i2"), answer("i1"), answer("i2"))).toEqual(["running"]);
    expect(openAfter(ask("i1"), answer("i1"), ask("i2"))).toEqual(["needs-input", "i2"]);
  });

  test("has no open questions after it is complete or its turn is cancelled", () => {
    const ask = { type: "input_requested", call_id: "c1", input_id: "i1", mode: "form", tool: "x.y" };
    const complete = { type: "tool_complete", call_id: "c1", tool: "x.y", is_error: true, results: { error: "late" } };
    const cancelled = { type: "turn_failed", status: "cancelled", error: { error_code: "E_CANCELLED", message: "Stopped." } };

    expect(firstCall(turnAfter(TOOL_START, ask, complete))).toMatchObject({ status: "failed", questions: [] });
    expect(firstCall(turnAfter(TOOL_START, ask, cancelled))).toMatchObject({ status: "stopped", questions: [] });
  });

  test("is stopped when its turn is cancelled", () => {
    const failed = { type: "turn_failed", status: "cancelled", error: { error_code: "E_CANCELLED", message: "Stopped." } };

    expect(firstCall(turnAfter(TOOL_START, failed))?.status).toBe("stopped");
  });
});

test("asksUser is true while a tool has an open question", () => {
  const question = { type: "input_requested", call_id: "c1", input_id: "i1", mode: "form", tool: "x.y" };
  const answer = { type: "input_answered", call_id: "c1", input_id: "i1", action: "decline" };

  expect([[], [TOOL_START], [question], [question, answer]].map((events) => asksUser(turnAfter(...events)))).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

test("applyEvents returns the same turn when events repeat in any batches", () => {
  const all = numbered(TURN_STARTED, text("One "), TOOL_START, text("two", 1), text(" three", 1));
  const expected = applyEvents(NEW_TURN, all, true);

  const inBatches = [all.slice(0, 3), all.slice(1, 4), all, all.slice(2)].reduce(
    (turn, batch) => applyEvents(turn, batch, true),
    NEW_TURN,
  );

  expect(inBatches).toEqual(expected);
});
