import { type ReactNode, useEffect, useRef } from "react";
import { useConnected } from "../api/connection";
import type { OpenableOutput } from "../canvas/types";
import { Icon } from "../shared/Icon";
import type { Branches } from "./branches";
import type { Turn } from "./turn";
import { TurnView } from "./TurnView";
import { useAutoScroll } from "./useAutoScroll";
import type { Turns } from "./useTurns";
import { texts } from "../texts";

interface TurnListProps {
  turns: Turns;
  branches: Branches<Turn>;
  /** The open session; the list begins at the end of each. */
  sessionId: string | null;
  onOpen(turnId: string, output: OpenableOutput): void;
  onRetry(turn: Turn): void;
  onEdit(turn: Turn): void;
  /** Shows the branch of a turn. */
  onBranch(turn: Turn): void;
  onContinue(): void;
  /** Shown while there are no turns. */
  welcome: ReactNode;
}

/** The turns of a session, oldest first. New text scrolls into view unless the user has scrolled up. */
export function TurnList({ turns, branches, sessionId, onOpen, onRetry, onEdit, onBranch, onContinue, welcome }: TurnListProps) {
  const { box, isAway, scrollToEnd, onScroll } = useAutoScroll(`${sessionId}/${turns.sentCount}`, turns.list.length === 0);
  const isConnected = useConnected();
  return (
    <div className="turns-frame">
      {/* At the end, the page itself keeps the end in view; anchoring would look like a user who scrolls up. */}
      <div
        ref={box}
        className="turns"
        style={{ overflowAnchor: isAway ? "auto" : "none" }}
        tabIndex={0}
        role="region"
        aria-label={texts.turn.conversation}
        onScroll={onScroll}
      >
        <div>
          {turns.hasOlder && <OlderTurns box={box.current} count={turns.list.length} onVisible={turns.loadOlder} />}
          {branches.shown.map((turn) => (
            <TurnView
              key={turn.turnId}
              turn={turn}
              onOpen={onOpen}
              onCancel={turns.cancel}
              onRetry={onRetry}
              onEdit={onEdit}
              alternatives={branches.alternatives(turn)}
              onBranch={onBranch}
              onContinue={turn === branches.shown.at(-1) ? onContinue : null}
              onVisible={turns.loadEvents}
            />
          ))}
          {turns.list.length === 0 && !turns.isLoading && welcome}
          {!isConnected && (
            <p className="connection-lost" role="status">
              {texts.turn.connectionLost}
            </p>
          )}
        </div>
      </div>
      {isAway && (
        <button type="button" className="to-end" aria-label={texts.turn.toEnd} onClick={scrollToEnd}>
          <Icon name="down" />
        </button>
      )}
    </div>
  );
}

const LOAD_DISTANCE = "800px"; // from the view, so that older messages are there before the user reaches them

interface OlderTurnsProps {
  box: HTMLElement | null;
  /** Number of loaded turns. */
  count: number;
  onVisible(): void;
}

/** Line above the oldest loaded turn. Loads older turns when it comes near the view. */
function OlderTurns({ box, count, onVisible }: OlderTurnsProps) {
  const element = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const load = (): void => {
      if (box?.scrollTop === 0) box.scrollTop = 1; // at 0, browsers do not keep the visible turns in place
      onVisible();
    };
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && load(), {
      root: box,
      rootMargin: `${LOAD_DISTANCE} 0px 0px`,
    });
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, [box, count, onVisible]);
  return (
    <p ref={element} className="older faint">
      {texts.turn.loadingOlder}
    </p>
  );
}
