import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../api/types";
import { troubleOf } from "./call";
import { type Turn, turnOf, withEvents } from "./turn";

const RECORD = {
  turn_id: "t1",
  message: "Summarise sales.csv",
  answer: "",
  status: "running",
  error: null,
  created_at: "2026-01-01T00:00:00Z",
  ended_at: null,
} as const;
const FIRST = turnOf(RECORD, "s1");

/** Number what is said; a second lies between any two. */
function events(...said: object[]): TurnEvent[] {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  return said.map((one, index) => ({ seq: index + 1, turn_id: "t1", at: at(index), ...one }) as TurnEvent);
}

const START = { type: "turn_started", session_id: "s1" };
const CALL = { type: "tool_start", call_id: "c1", tool: "report.summarise", server: "report", arguments: { n: 1 } };
const text = (words: string, round = 0, attempt = 1) => ({ type: "token_stream", text: words, round, attempt });
const shown = (...said: object[]): Turn => withEvents(FIRST, events(START, ...said), true);
const callOf = (turn: Turn) => turn.parts.flatMap((part) => (part.kind === "call" ? [part.call] : []))[0];

describe("the answer", () => {
  test("grows with what is streamed", () => {
    expect(shown(text("One "), text("two")).parts).toMatchObject([{ kind: "text", text: "One two" }]);
  });

  test("goes on below a call", () => {
    expect(shown(text("Let me see."), CALL, text("It is 3.", 1)).parts.map((part) => part.kind)).toEqual([
      "text",
      "call",
      "text",
    ]);
  });

  test("begins anew where the stream did, in that round alone", () => {
    const turn = shown(text("First."), CALL, text("Hal", 1), text("Whole", 1, 2), text("f", 1, 1), text(" answer", 1, 2));

    expect(turn.parts).toMatchObject([{ text: "First." }, { kind: "call" }, { text: "Whole answer" }]);
  });

  test("is what is kept, whatever was streamed", () => {
    const response = { turn_id: "t1", session_id: "s1", status: "complete", message: "Whole", tool_calls: [] };

    const turn = shown(CALL, text("Who", 1), { type: "response_complete", response });

    expect(turn.parts.at(-1)).toMatchObject({ kind: "text", text: "Whole" });
    expect(turn.status).toBe("complete");
  });
});

describe("a call", () => {
  test("says how far it is, and for how long it has been silent until it says more", () => {
    const notice = { type: "tool_notice", call_id: "c1", seconds: 15, left_seconds: 15, message: "Still at it" };
    const progress = { type: "tool_progress", call_id: "c1", progress: 1, total: 4, percentage: 25, message: "one" };

    expect(callOf(shown(CALL, notice))?.notice).toMatchObject({ left: 15, message: "Still at it" });
    expect(callOf(shown(CALL, notice, progress))).toMatchObject({
      notice: null,
      progress: { percentage: 25, message: "one" },
    });
  });

  test("stands where it was asked for, whenever it starts", () => {
    const call = (id: string) => ({ ...CALL, call_id: id });
    const turn = shown(text("So."), call("t1-00-02"), call("t1-00-100"), call("t1-00-01"), text("And.", 1), call("t1-01-00"));

    const ids = turn.parts.map((part) => (part.kind === "call" ? part.call.callId : part.text));
    expect(ids).toEqual(["So.", "t1-00-01", "t1-00-02", "t1-00-100", "And.", "t1-01-00"]);
  });

  test("ends with its results and the time that it took", () => {
    const end = { type: "tool_complete", call_id: "c1", tool: "report.summarise", is_error: false, results: [3] };

    expect(callOf(shown(CALL, end))).toMatchObject({ status: "done", results: [3], milliseconds: 1000 });
  });

  test("tells what may help when it failed", () => {
    const end = { type: "tool_complete", call_id: "c1", is_error: true, results: { error: "No." }, suggestion: "Less" };

    const call = callOf(shown(CALL, end));

    expect(call).toMatchObject({ status: "failed", suggestion: "Less" });
    expect(call && troubleOf(call)).toBe("No.");
  });

  test("that was never made, since its owner refused it, is refused and not failed", () => {
    const asked = { ...CALL, type: "tool_approval_request", expires_at: "2026-01-01T01:00:00Z" };
    const word = { type: "tool_approval", call_id: "c1", approved: false, edited: false, reason: "no" };
    const end = { type: "tool_complete", call_id: "c1", tool: "x.y", is_error: true, results: { error: "refused" } };

    expect(callOf(shown(asked))?.status).toBe("asked");
    expect(callOf(shown(asked, word, CALL, end))).toMatchObject({ status: "refused", reason: "no" });
  });

  test("is stopped with its turn", () => {
    const end = { type: "turn_failed", status: "cancelled", error: { error_code: "E_CANCELLED", message: "Stopped." } };

    expect(callOf(shown(CALL, end))?.status).toBe("stopped");
  });
});

test("events that come again, in whatever pieces, change nothing", () => {
  const all = events(START, text("One "), CALL, text("two", 1), text(" three", 1));
  const whole = withEvents(FIRST, all, true);

  const inPieces = [all.slice(0, 3), all.slice(1, 4), all, all.slice(2)].reduce(
    (turn, some) => withEvents(turn, some, true),
    FIRST,
  );

  expect(inPieces).toEqual(whole);
});
