/** Groups the tool calls of an answer that follow each other. Pure. */
import { describeProblems } from "./metaData";
import type { ToolCall } from "./toolCall";
import type { Part, ReasoningPart } from "./turn";

export type AnswerBlock = { kind: "text"; text: string } | ReasoningPart | { kind: "calls"; calls: readonly ToolCall[] };

/** Return the texts and the reasoning of an answer and, between them, its calls. Empty texts are left out. */
export function toBlocks(parts: readonly Part[]): AnswerBlock[] {
  const blocks: AnswerBlock[] = [];
  for (const part of parts) {
    const last = blocks.at(-1);
    if (part.kind === "text") {
      if (part.text) blocks.push({ kind: "text", text: part.text });
    } else if (part.kind === "reasoning") {
      if (part.text) blocks.push(part);
    } else if (last?.kind === "calls") blocks[blocks.length - 1] = { kind: "calls", calls: [...last.calls, part.call] };
    else blocks.push({ kind: "calls", calls: [part.call] });
  }
  return blocks;
}

/** Return true if the user misses nothing when only the number of the calls is shown. */
export function canFold(calls: readonly ToolCall[]): boolean {
  return calls.length > 1 && calls.every(({ status, metaData }) => status === "done" && describeProblems(metaData).length === 0);
}

/** Return the milliseconds from the start of the first call to the end of the last; null if one has not ended. */
export function totalDuration(calls: readonly ToolCall[]): number | null {
  const spans = calls.map(({ startedAt, milliseconds }) => {
    const start = startedAt === null ? Number.NaN : Date.parse(startedAt);
    return { start, end: milliseconds === null ? Number.NaN : start + milliseconds };
  });
  const duration = Math.max(...spans.map(({ end }) => end)) - Math.min(...spans.map(({ start }) => start));
  return Number.isFinite(duration) ? duration : null;
}
