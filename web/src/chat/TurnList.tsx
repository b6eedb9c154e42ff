import { useEffect, useRef } from "react";
import { useConnected } from "../api/connection";
import { type Scrolling, scrolled } from "./scrolling";
import type { Turn } from "./turn";
import { TurnView } from "./TurnView";
import type { Turns } from "./useTurns";

interface TurnListProps {
  turns: Turns;
  onOpen(turnId: string, fileKey: string): void;
}

/** The turns of a session, oldest first; who looks at the end keeps it in view while it grows. */
export function TurnList({ turns, onOpen }: TurnListProps) {
  const box = useRef<HTMLDivElement>(null);
  const scrolling = useRef<Scrolling>({ top: 0, followsEnd: true });
  const connected = useConnected();
  useEffect(() => {
    if (!box.current) return;
    scrolling.current = scrolled(scrolling.current, box.current); // the event of it may be still to come
    if (scrolling.current.followsEnd) box.current.scrollTo({ top: box.current.scrollHeight });
  });
  return (
    <div
      ref={box}
      className="turns"
      tabIndex={0}
      role="region"
      aria-label="Conversation"
      onScroll={({ currentTarget }) => {
        scrolling.current = scrolled(scrolling.current, currentTarget);
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
