import { useState } from "react";
import { formatDuration } from "../shared/format";
import { Markdown } from "../shared/Markdown";
import { texts } from "../texts";
import type { ReasoningPart } from "./turn";

/** The model's reasoning in a fold, whose line says how long it took. The text is drawn once it is open. */
export function Reasoning({ part }: { part: ReasoningPart }) {
  const [isOpen, setOpen] = useState(false);
  const isThinking = part.endedAt === null;
  return (
    <details className={isThinking ? "reasoning thinking" : "reasoning"} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{isThinking ? texts.turn.thinking : texts.turn.thought(formatThinkingTime(part))}</summary>
      {isOpen && <Markdown text={part.text} isOpen={isThinking} />}
    </details>
  );
}

function formatThinkingTime({ startedAt, endedAt }: ReasoningPart): string {
  const seconds = Math.max(1, Math.round((Date.parse(endedAt ?? startedAt) - Date.parse(startedAt)) / 1000));
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}
