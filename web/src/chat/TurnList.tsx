import { useEffect, useRef } from "react";
import { useConnected } from "../api/connection";
import type { Turn } from "./turn";
import { TurnView } from "./TurnView";
import type { Turns } from "./useTurns";

interface TurnListProps {
  turns: Turns;
  onOpen(turnId: string, fileKey: string): void;
}

const NEAR_END = 120; // pixels above the end at which one still looks at the end

/** The turns of a session, oldest first; who looks at the end keeps it in view while it grows. */
export function TurnList({ turns, onOpen }: TurnListProps) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const connected = useConnected();
  useEffect(() => {
    if (atEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  });
  return (
    <div
      ref={box}
      className="turns"
      tabIndex={0}
      role="region"
      aria-label="Conversation"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
      }}
    >
      {turns.list.map((turn: Turn) => (
        <TurnView key={turn.turnId} turn={turn} onOpen={onOpen} onCancel={turns.cancel} onSeen={turns.read} />
      ))}
      {turns.list.length === 0 && !turns.isLoading && <Welcome />}
      {!connected && (
        <p className="lost" role="status">
          The connection is lost. What was asked goes on; trying to reach the server again …
        </p>
      )}
    </div>
  );
}

function Welcome() {
  return (
    <div className="welcome">
      <h2>What shall we look at?</h2>
      <p>Ask something, drop files here, or name one of yours with @.</p>
    </div>
  );
}
