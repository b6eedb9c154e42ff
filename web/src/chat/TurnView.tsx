import { lazy, memo, Suspense, useEffect, useRef } from "react";
import type { OpenableOutput } from "../canvas/types";
import { loadRenderer } from "../shared/Markdown";
import { AnswerText } from "./AnswerText";
import { CallGroup } from "./CallGroup";
import { toBlocks } from "./callGroups";
import { Reasoning } from "./Reasoning";
import { isOpen } from "./toolCall";
import type { Turn } from "./turn";
import { TurnActions } from "./TurnActions";
import { TurnFiles } from "./TurnFiles";
import { texts } from "../texts";

const AttachedFiles = lazy(() => import("../files/AttachedFiles"));

interface TurnViewProps {
  turn: Turn;
  onOpen(turnId: string, output: OpenableOutput): void;
  onCancel(turn: Turn): void;
  onRetry(turn: Turn): void;
  /** Puts the message back into the message box. */
  onEdit(turn: Turn): void;
  /** The turn, and those whose messages are edited versions of its message. */
  alternatives: readonly Turn[];
  /** Shows the branch of a turn. */
  onBranch(turn: Turn): void;
  /** Asks for the rest of the answer of the last turn. */
  onContinue: (() => void) | null;
  /** Called when the turn scrolls into view and its events are not loaded. */
  onVisible(turn: Turn): void;
}

/** A message of the user, and the answer with its tool calls and files. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, alternatives, onOpen, onCancel, onRetry, onEdit, onBranch, onContinue, onVisible } = props;
  const element = useOnVisible(() => turn.seq === 0 && onVisible(turn));
  const isRunning = turn.status === "running";
  useEffect(() => {
    if (isRunning) loadRenderer().catch(() => undefined); // the text itself loads it again
  }, [isRunning]);
  const artifacts = turn.outputs.flatMap((output) => output.artifacts);
  const blocks = toBlocks(turn.parts);
  const fileNames = artifacts.map((file) => file.name);
  const openFile = (name: string): void => {
    const file = artifacts.findLast((one) => one.name === name);
    if (file) onOpen(turn.turnId, file);
  };
  const turnPath = { session_id: turn.sessionId, turn_id: turn.turnId };
  return (
    <article ref={element} className="turn" aria-busy={isRunning}>
      <div className="user-message">
        {turn.message}
        {turn.files.length > 0 && (
          <Suspense>
            <AttachedFiles fileKeys={turn.files} />
          </Suspense>
        )}
      </div>
      {alternatives.length > 1 && <BranchSwitch turn={turn} alternatives={alternatives} onBranch={onBranch} />}
      <div className="answer">
        {blocks.map((block, index) =>
          block.kind === "text" ? (
            <AnswerText
              key={index}
              text={block.text}
              isStreaming={isRunning && index === blocks.length - 1}
              files={fileNames}
              onOpenFile={openFile}
            />
          ) : block.kind === "reasoning" ? (
            <Reasoning key={index} part={block} />
          ) : (
            <CallGroup key={index} calls={block.calls} turnPath={turnPath} onCancel={() => onCancel(turn)} />
          ),
        )}
        {turn.notes.map((note) => (
          <p key={note} className="note">
            {note}
          </p>
        ))}
        <TurnFiles outputs={turn.outputs} onOpen={(output) => onOpen(turn.turnId, output)} />
        <Status turn={turn} />
        {!isRunning && <TurnActions turn={turn} onRetry={onRetry} onEdit={onEdit} onContinue={onContinue} />}
      </div>
    </article>
  );
}, isSameView);

/** Compare the alternatives by their ids, because each change of the chat makes a new list of them. */
function isSameView(before: TurnViewProps, after: TurnViewProps): boolean {
  const { alternatives: one, ...rest } = before;
  const { alternatives: other, ...others } = after;
  const names = Object.keys(rest) as (keyof typeof rest)[];
  return names.every((name) => rest[name] === others[name]) && one.length === other.length && one.every((turn, index) => turn.turnId === other[index]?.turnId);
}

/** Line below an edited message: which version of it is shown, and the ways to the others. */
function BranchSwitch({ turn, alternatives, onBranch }: Pick<TurnViewProps, "turn" | "alternatives" | "onBranch">) {
  const position = alternatives.findIndex((one) => one.turnId === turn.turnId);
  const button = (step: number, label: string, sign: string) => {
    const target = alternatives[position + step];
    return (
      <button type="button" className="plain" aria-label={label} title={label} disabled={target === undefined} onClick={() => target && onBranch(target)}>
        {sign}
      </button>
    );
  };
  return (
    <div className="branch-switch row faint" role="group" aria-label={texts.turn.versions}>
      {button(-1, texts.turn.previousVersion, "‹")}
      <span>
        {position + 1}/{alternatives.length}
      </span>
      {button(1, texts.turn.nextVersion, "›")}
    </div>
  );
}

/** Last line of a turn: “Thinking…” while the model works, or why the turn ended early. */
function Status({ turn }: { turn: Turn }) {
  if (turn.status === "running") {
    const isShown = turn.parts.some((part) => (part.kind === "call" ? isOpen(part.call) : part.kind === "reasoning" && part.endedAt === null));
    return isShown ? null : <p className="thinking faint">{texts.turn.thinking}</p>;
  }
  if (turn.status === "complete") return null;
  const message = turn.error?.message ?? texts.turn.noAnswer;
  return <p className={turn.status === "cancelled" ? "note" : "error-message"}>{message}</p>;
}

/** Call back each time the element scrolls into view. */
function useOnVisible(callback: () => void) {
  const element = useRef<HTMLElement>(null);
  const latestCallback = useRef(callback);
  latestCallback.current = callback;
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && latestCallback.current());
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return element;
}
