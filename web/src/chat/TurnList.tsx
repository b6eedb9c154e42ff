import { useEffect, useRef } from "react";
import { useConnected } from "../api/connection";
import type { OpenableOutput } from "../canvas/types";
import { nextScrollState, type ScrollState } from "./autoScroll";
import type { Turn } from "./turn";
import { TurnView } from "./TurnView";
import type { Turns } from "./useTurns";

interface TurnListProps {
  turns: Turns;
  onOpen(turnId: string, output: OpenableOutput): void;
}

/** The turns of a session, oldest first. New text scrolls into view unless the user has scrolled up. */
export function TurnList({ turns, onOpen }: TurnListProps) {
  const box = useRef<HTMLDivElement>(null);
  const scroll = useRef<ScrollState>({ top: 0, isPinned: true });
  const isConnected = useConnected();
  useEffect(() => {
    if (!box.current) return;
    scroll.current = nextScrollState(scroll.current, box.current); // the scroll event may not have fired yet
    if (scroll.current.isPinned) box.current.scrollTo({ top: box.current.scrollHeight });
  });
  return (
    <div
      ref={box}
      className="turns"
      tabIndex={0}
      role="region"
      aria-label="Conversation"
      onScroll={({ currentTarget }) => {
        scroll.current = nextScrollState(scroll.current, currentTarget);
      }}
    >
      {turns.list.map((turn: Turn) => (
        <TurnView
          key={turn.turnId}
          turn={turn}
          onOpen={onOpen}
          onCancel={turns.cancel}
          onVisible={turns.loadEvents}
        />
      ))}
      {turns.list.length === 0 && !turns.isLoading && <Welcome />}
      {!isConnected && (
        <p className="connection-lost" role="status">
          Connection lost. A running answer continues. Reconnecting…
        </p>
      )}
    </div>
  );
}

function Welcome() {
  return (
    <div className="welcome">
      <h2>How can I help?</h2>
      <p>Ask a question, drop files here, or type @ to mention one of your files.</p>
    </div>
  );
}
