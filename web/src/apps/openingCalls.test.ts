import { expect, test } from "vitest";

import type { TurnEvent } from "../api/types";
import { applyEvents, type Turn, turnFromRecord } from "../chat/turn";
import { openingCallsOf } from "./openingCalls";

const RECORD = {
  turn_id: "t1",
  message: "/demo.show {}",
  files: [],
  answer: "",
  status: "running",
  error: null,
  created_at: "2026-01-01T00:00:00Z",
  ended_at: null,
} as const;
const START = { type: "tool_start", call_id: "c1", tool: "demo.show", server: "demo", arguments: {}, app_uri: "ui://demo/app" };
const FAILED = { type: "tool_complete", call_id: "c1", tool: "demo.show", results: { error: "no such row" }, duration_ms: 5, is_error: true, meta_data: {} };
const CANCELED = { type: "turn_failed", status: "cancelled", error: { error_code: "E_CANCELLED", message: "You stopped it." } };

function turnAfter(...events: object[]): Turn {
  const at = "2026-01-01T00:00:00Z";
  return applyEvents(
    turnFromRecord(RECORD, "s1"),
    events.map((event, index) => ({ seq: index + 1, turn_id: "t1", at, ...event }) as TurnEvent),
    true,
  );
}

const callAfter = (...events: object[]) => openingCallsOf([turnAfter(START, ...events)], "s1")[0];

test("a running call of a tool with an app opens it", () => {
  expect(callAfter()).toMatchObject({ id: "t1/c1", isRunning: true, failure: null });
});

test("calls of other sessions and of tools without an app open nothing", () => {
  expect(openingCallsOf([turnAfter(START)], "s2")).toEqual([]);
  expect(openingCallsOf([turnAfter({ ...START, app_uri: null })], "s1")).toEqual([]);
});

test("the error of the tool itself is a result for the app", () => {
  const call = callAfter({ ...FAILED, error_code: "E_TOOL_FAILED" });
  expect(call).toMatchObject({ isRunning: false, failure: { message: "no such row", isResult: true } });
});

test("after an error of Satchel, the app gets no result", () => {
  expect(callAfter({ ...FAILED, error_code: "E_TOOL_TIMEOUT" })?.failure).toEqual({ message: "no such row", isResult: false });
});

test("after a cancellation, the app gets no result", () => {
  expect(callAfter(CANCELED)).toMatchObject({ isRunning: false, failure: { message: "You stopped it.", isResult: false } });
});
