import { memo, useEffect, useRef } from "react";
import { Markdown } from "../shared/Markdown";
import { ArtifactButton } from "./ArtifactButton";
import { CallLine } from "./CallLine";
import type { Turn } from "./turn";

interface TurnViewProps {
  turn: Turn;
  onOpen(turnId: string, fileKey: string): void;
  onCancel(turn: Turn): void;
  /** It came into view, and what was done in it is not known yet. */
  onSeen(turn: Turn): void;
}

/** A message and what came of it. */
export const TurnView = memo(function TurnView({ turn, onOpen, onCancel, onSeen }: TurnViewProps) {
  const element = useSeen(() => turn.seq === 0 && onSeen(turn));
  const turnPath = { session_id: turn.sessionId, turn_id: turn.turnId };
  const files = turn.made.flatMap((made) => [...made.artifacts, ...made.deferred]);
  return (
    <article ref={element} className="turn" aria-busy={turn.status === "running"}>
      <div className="question">{turn.message}</div>
      <div className="answer">
        {turn.parts.map((part, index) =>
          part.kind === "text" ? (
            part.text && <Markdown key={index} text={part.text} />
          ) : (
            <CallLine key={part.call.callId} call={part.call} turnPath={turnPath} onCancel={() => onCancel(turn)} />
          ),
        )}
        {turn.notes.map((note) => (
          <p key={note} className="note">
            {note}
          </p>
        ))}
        {files.length > 0 && (
          <div className="artifacts">
            {files.map((file) => (
              <ArtifactButton
                key={`${file.file_key}/${file.version}`}
                file={file}
                onOpen={() => onOpen(turn.turnId, file.file_key)}
              />
            ))}
          </div>
        )}
        <End turn={turn} />
      </div>
    </article>
  );
});

function End({ turn }: { turn: Turn }) {
  if (turn.status === "running") {
    const last = turn.parts.at(-1);
    const busy = last?.kind === "call" && (last.call.status === "running" || last.call.status === "asked");
    return busy ? null : <p className="thinking faint">Thinking …</p>;
  }
  if (turn.status === "complete") return null;
  const said = turn.error?.message ?? "The turn ended without an answer.";
  return <p className={turn.status === "cancelled" ? "note" : "trouble"}>{said}</p>;
}

/** Calls back each time that the element comes into view. */
function useSeen(seen: () => void) {
  const element = useRef<HTMLElement>(null);
  const latest = useRef(seen);
  latest.current = seen;
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && latest.current());
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return element;
}
