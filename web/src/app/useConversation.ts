/** The conversation that is open: its session, what is being written, and what sending that does. */
import { useCallback, useMemo, useRef, useState } from "react";
import type { Config, Session, TurnEvent } from "../api/types";
import type { Made } from "../canvas/feed";
import { tellNews } from "../chat/news";
import type { Turn } from "../chat/turn";
import { type Turns, useTurns } from "../chat/useTurns";
import { type Sessions, useSessions } from "../session/useSessions";
import { explain } from "../shared/toasts";
import { useAddress } from "./useAddress";

export interface Conversation {
  sessions: Sessions;
  session: Session | null;
  sessionId: string | null;
  open(sessionId: string | null): void;
  turns: Turns;
  /** The turn that runs: one at a time in a session. */
  running: Turn | null;
  made: readonly Made[];
  /** Rises when files came or went. */
  changes: number;
  draft: string;
  setDraft(text: string): void;
  mention(name: string): void;
  isSending: boolean;
  send(): Promise<void>;
  model: string;
  chooseModel(name: string): void;
  sessionFor(title: string): Promise<string>;
}

export function useConversation(config: Config): Conversation {
  const [sessionId, open] = useAddress();
  const sessions = useSessions();
  const session = sessions.list.find((one) => one.session_id === sessionId) ?? null;
  const [wantedModel, setModel] = useState<string | null>(null);
  const [changes, setChanges] = useState(0);
  const [isSending, setSending] = useState(false);
  const { draft, setDraft, mention } = useDraft();

  const onNews = useCallback((events: readonly TurnEvent[]) => {
    events.forEach(tellNews);
    if (events.some((event) => event.type === "intermediate_update")) setChanges((before) => before + 1);
  }, []);
  const turns = useTurns(sessionId, onNews);
  const sessionFor = useSessionFor(sessionId, open, (title) => sessions.start(title, wantedModel));

  const send = async (): Promise<void> => {
    setDraft("");
    setSending(true);
    try {
      await turns.send(await sessionFor(draft), draft);
    } catch (error) {
      setDraft((now) => now || draft); // nothing that was written is lost
      explain(error);
    } finally {
      setSending(false);
    }
  };
  const chooseModel = (name: string): void => {
    setModel(name);
    if (sessionId !== null) sessions.change(sessionId, { model: name }).catch(explain);
  };
  return {
    sessions,
    session,
    sessionId,
    open,
    turns,
    running: turns.list.find((turn) => turn.status === "running") ?? null,
    made: useMemo(() => madeIn(turns.list, sessionId), [turns.list, sessionId]),
    changes,
    draft,
    setDraft,
    mention,
    isSending,
    send,
    model: session?.model ?? wantedModel ?? config.model ?? "",
    chooseModel,
    sessionFor,
  };
}

/** For a moment after another session was chosen the turns are still those of the one before. */
function madeIn(turns: readonly Turn[], sessionId: string | null): readonly Made[] {
  return turns.filter((turn) => turn.sessionId === sessionId).flatMap((turn) => turn.made);
}

function useDraft() {
  const [draft, setDraft] = useState("");
  const mention = (name: string): void => {
    const word = /\s/.test(name) ? `@"${name}"` : `@${name}`;
    setDraft((before) => (before && !/\s$/.test(before) ? `${before} ${word} ` : `${before}${word} `));
  };
  return { draft, setDraft, mention };
}

/** The session that is open, or a new one: asked for twice at the same time, it is the same. */
function useSessionFor(
  sessionId: string | null,
  open: (sessionId: string) => void,
  start: (title: string) => Promise<Session>,
): (title: string) => Promise<string> {
  const starting = useRef<Promise<string> | null>(null);
  return async (title) => {
    if (sessionId !== null) return sessionId;
    starting.current ??= start(title)
      .then(({ session_id }) => {
        open(session_id);
        return session_id;
      })
      .finally(() => {
        starting.current = null;
      });
    return starting.current;
  };
}
