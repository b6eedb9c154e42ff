import { describe, expect, it } from "vitest";

import { canFold, toBlocks, totalDuration } from "./callGroups";
import { newToolCall, type ToolCall } from "./toolCall";
import type { Part } from "./turn";

const call = (callId: string, changes: Partial<ToolCall> = {}): ToolCall => ({ ...newToolCall(callId), status: "done", ...changes });
const text = (words: string): Part => ({ kind: "text", round: 0, attempt: 0, text: words });
const part = (callId: string): Part => ({ kind: "call", call: call(callId) });

describe("toBlocks", () => {
  it("groups calls that follow each other, across empty texts", () => {
    const blocks = toBlocks([text("One"), part("a"), text(""), part("b"), text("Two"), part("c")]);
    const shown = blocks.map((block) => (block.kind === "calls" ? block.calls.map(({ callId }) => callId) : block.text));
    expect(shown).toEqual(["One", ["a", "b"], "Two", ["c"]]);
  });
});

describe("canFold", () => {
  it.each([
    ["several complete calls", [call("a"), call("b")], true],
    ["one call", [call("a")], false],
    ["a failed call", [call("a"), call("b", { status: "failed" })], false],
    ["a running call", [call("a"), call("b", { status: "running" })], false],
    ["a call with a problem", [call("a"), call("b", { metaData: { unresolved_files: { "a.csv": [] } } })], false],
  ])("for %s", (_, calls, expected) => {
    expect(canFold(calls)).toBe(expected);
  });
});

describe("totalDuration", () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

  it("counts time once if calls run at the same time", () => {
    const calls = [call("a", { startedAt: at(0), milliseconds: 4_000 }), call("b", { startedAt: at(2), milliseconds: 4_500 })];
    expect(totalDuration(calls)).toBe(6_500);
  });

  it("is unknown while a call runs", () => {
    expect(totalDuration([call("a", { startedAt: at(0), milliseconds: 4_000 }), call("b", { startedAt: at(2) })])).toBeNull();
  });
});
