/** State of the open chat: its session, its turns, the draft message, and sending it. */
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { Config, FileRecord, Session, TurnEvent } from "../api/types";
import { onAppMessage } from "../apps/chat";
import { loadAppOf } from "../apps/earlyLoad";
import { type OpeningCall, openingCallsOf } from "../apps/openingCalls";
import type { ToolOutput } from "../canvas/types";
import { notifyOfEvent } from "../chat/eventNotifications";
import { type Branches, branchesOf } from "../chat/branches";
import { asksUser, type Turn } from "../chat/turn";
import { useDraft } from "../chat/useDraft";
import { type Turns, useTurns } from "../chat/useTurns";
import { type Sessions, titleFrom, useSessions } from "../session/useSessions";
import { showError } from "../shared/notifications";
import { allowedTools, type ToolChoice, useToolChoice } from "../tools/useToolChoice";

export interface Conversation {
  sessions: Sessions;
  session: Session | null;
  sessionId: string | null;
  /** Open a session; null opens a new chat. */
  openSession(sessionId: string | null): void;
  /** Open a new chat in place of a session that has ended. Return false if the user has opened another one meanwhile. */
  leaveSession(sessionId: string): boolean;
  turns: Turns;
  /** A session runs one turn at a time. */
  runningTurn: Turn | null;
  outputs: readonly ToolOutput[];
  openingCalls: readonly OpeningCall[];
  /** Counter that increases when a turn may have changed files. */
  fileChanges: number;
  draft: string;
  setDraft(text: string): void;
  /** The files to send with the draft. */
  attached: readonly FileRecord[];
  attach(file: FileRecord): void;
  detach(fileKey: string): void;
  /** Append `@name` to the draft. */
  mentionFile(name: string): void;
  isSending: boolean;
  send(): Promise<void>;
  /** Messages of this chat that are sent when the running turn ends, oldest first. */
  queue: readonly QueuedMessage[];
  unqueue(id: string): void;
  toolChoice: ToolChoice;
  /** Send a text without files; the draft stays. */
  sendText(text: string): void;
  /** The turns of the chosen branch. `turns` has those of all branches. */
  branches: Branches<Turn>;
  /** Show the branch of a turn. */
  chooseBranch(turn: Turn): void;
  /** The turn whose message the draft replaces, in a branch of its own. */
  editing: Turn | null;
  /** Put a message back into the box, to send it changed; null ends this. */
  edit(turn: Turn | null): void;
  /** Send the message of a turn again, in a branch of its own. */
  retry(turn: Turn): void;
  model: string;
  selectModel(name: string): void;
  /** Whether the chat that the next message starts is a temporary one. */
  startsTemporary: boolean;
  setStartsTemporary(temporary: boolean): void;
  /** End the open session. */
  end(): void;
  /** Return the open session, or start one with this title; without a title, its first message gives it one. */
  ensureSession(title: string | null): Promise<string>;
}

export interface QueuedMessage {
  id: string;
  sessionId: string;
  text: string;
  /** Keys of the attached files. */
  files: readonly string[];
  after: string | null;
}

export function useConversation(config: Config): Conversation {
  const [sessionId, openSession] = useSessionIdInUrl();
  const sessions = useSessions();
  const session = sessions.list.find((one) => one.session_id === sessionId) ?? null;
  const [selectedModel, setSelectedModel] = useState<string | null>(null);
  const [startsTemporary, setStartsTemporary] = useState(false);
  const [fileChanges, setFileChanges] = useState(0);
  const [isSending, setSending] = useState(false);
  const { draft, setDraft, restoreDraft, mentionFile, moveDraft } = useDraft(sessionId);
  const { attached, setAttached, attach, detach } = useAttached();

  const onLiveEvents = useCallback((events: readonly TurnEvent[]) => {
    events.forEach(loadAppOf);
    events.forEach(notifyOfEvent);
    if (events.some((event) => event.type === "intermediate_update")) setFileChanges((count) => count + 1);
  }, []);
  const turns = useTurns(sessionId, onLiveEvents);
  const { branches, chooseBranch, editing, setEditing, showNewest, placeOf } = useBranches(sessionId, turns);
  useWaitingMark(turns.list, sessions);
  const toolChoice = useToolChoice(sessionId);
  const onStarted = (id: string): void => {
    setStartsTemporary(false);
    moveDraft(id);
    toolChoice.moveTo(id);
    if (readSessionId() === null) openSession(id); // unless the user has opened another session meanwhile
  };
  const leaveSession = (id: string): boolean => {
    const isOpen = readSessionId() === id;
    if (isOpen) openSession(null);
    return isOpen;
  };
  const ensureSession = useEnsureSession(sessionId, onStarted, (title) => sessions.start(title, selectedModel, startsTemporary));
  const runningTurn = turns.list.find((turn) => turn.status === "running") ?? null;
  useRefreshedSession(sessionId, sessions, turns, runningTurn);
  const isRunning = runningTurn !== null || isSending;
  /** The changes of the session's model, one after the other. */
  const changingModel = useRef(Promise.resolve());

  onAppMessage(async (target, text) => turns.send(target, { text, files: [], tools: await allowedTools(target), after: null }));

  /** Send a message, or queue it while a turn runs: a session runs one turn at a time. `onFailure` gets the message's session. */
  const submit = async (
    text: string,
    files: readonly string[],
    after = placeOf(null),
    onFailure?: (targetId: string | null) => void,
  ): Promise<void> => {
    if (isRunning && sessionId !== null) {
      setQueue((before) => [...before, { id: crypto.randomUUID(), sessionId, text, files, after }]);
      return;
    }
    setSending(true);
    let targetId = sessionId;
    try {
      targetId = await ensureSession(text);
      await changingModel.current; // the answer is of the model that the user has chosen
      if (session !== null && !session.title) sessions.change(targetId, { title: titleFrom(text) }).catch(showError);
      await turns.send(targetId, { text, files, tools: await allowedTools(targetId), after });
      showNewest();
    } catch (error) {
      showError(error);
      onFailure?.(targetId);
    } finally {
      setSending(false);
    }
  };
  const send = async (): Promise<void> => {
    setDraft("");
    setAttached([]);
    setEditing(null);
    // put the message back so that the user can send it again
    const restore = (targetId: string | null): void => {
      if (readSessionId() === targetId) setEditing(editing);
      restoreDraft(targetId, draft);
      setAttached((current) => (current.length > 0 ? current : attached));
    };
    await submit(
      draft,
      attached.map((file) => file.file_key),
      placeOf(editing),
      restore,
    );
  };
  const [queue, setQueue] = useState<readonly QueuedMessage[]>([]);
  const next = queue.find((message) => message.sessionId === sessionId);
  // Right after a switch, the list still holds the turns of the session before.
  const isReady = turns.list.at(-1)?.sessionId === sessionId && !isRunning && !turns.isLoading;
  useEffect(() => {
    if (!isReady || next === undefined) return;
    setQueue((before) => before.filter((message) => message !== next));
    void submit(next.text, next.files, next.after, () => restoreDraft(next.sessionId, next.text));
  }, [isReady, next]);
  const selectModel = (name: string): void => {
    setSelectedModel(name);
    if (sessionId === null) return;
    changingModel.current = changingModel.current.then(() => sessions.change(sessionId, { model: name })).catch(showError);
  };
  return {
    sessions,
    session,
    sessionId,
    openSession,
    leaveSession,
    turns,
    runningTurn,
    queue: queue.filter((message) => message.sessionId === sessionId),
    unqueue: (id) => setQueue((before) => before.filter((message) => message.id !== id)),
    toolChoice,
    sendText: (text) => void submit(text, []),
    branches,
    chooseBranch,
    editing,
    edit: (turn) => {
      setDraft(turn?.message ?? "");
      setEditing(turn);
    },
    retry: (turn) => void submit(turn.message, turn.files, placeOf(turn)),
    outputs: useMemo(() => outputsOf(branches.shown, sessionId), [branches.shown, sessionId]),
    openingCalls: useMemo(() => openingCallsOf(branches.shown, sessionId), [branches.shown, sessionId]),
    fileChanges,
    draft,
    setDraft,
    attached,
    attach,
    detach,
    mentionFile,
    isSending,
    send,
    model: session?.model ?? selectedModel ?? config.model ?? "",
    selectModel,
    startsTemporary,
    setStartsTemporary,
    end: () => {
      if (sessionId !== null) sessions.end(sessionId).then(() => leaveSession(sessionId), showError);
    },
    ensureSession,
  };
}

/** The branch of the chat that is shown, and the message that is being edited. A sent message is always shown. */
function useBranches(sessionId: string | null, { list, hasOlder }: Turns) {
  const [last, setLast] = useState<string | null>(null);
  const [editing, setEditing] = useState<Turn | null>(null);
  useEffect(() => {
    setLast(null);
    setEditing(null);
  }, [sessionId]);
  const branches = useMemo(() => branchesOf(list, last, hasOlder), [list, last, hasOlder]);
  const end = branches.shown.at(-1);
  return {
    branches,
    editing,
    setEditing,
    chooseBranch: (turn: Turn) => setLast(branches.newestBehind(turn).turnId),
    showNewest: () => setLast(null),
    /** The turn that a message follows: the one before the turn that it replaces, or the end of the branch (null: the newest). */
    placeOf: (replaced: Turn | null): string | null => {
      if (replaced !== null) return branches.before(replaced);
      return end === list.at(-1) ? null : (end?.turnId ?? null);
    },
  };
}

/** Keep the list of sessions up to date with the events of the open one. Other sessions are as they were when loaded. */
function useWaitingMark(turns: readonly Turn[], sessions: Sessions): void {
  const latest = turns.findLast((turn) => turn.seq > 0);
  const sessionId = latest?.sessionId;
  const waits = latest !== undefined && asksUser(latest);
  useEffect(() => {
    if (sessionId !== undefined) sessions.setWaiting(sessionId, waits);
  }, [sessionId, waits]);
}

/** Ignore turns of another session: right after a switch, the list still holds the previous session's turns. */
function outputsOf(turns: readonly Turn[], sessionId: string | null): readonly ToolOutput[] {
  return turns.filter((turn) => turn.sessionId === sessionId).flatMap((turn) => turn.outputs);
}

function useAttached() {
  const [attached, setAttached] = useState<readonly FileRecord[]>([]);
  const detach = (fileKey: string): void => setAttached((before) => before.filter((file) => file.file_key !== fileKey));
  /** A newer version replaces the file. */
  const attach = (file: FileRecord): void =>
    setAttached((before) => [...before.filter((other) => other.file_key !== file.file_key), file]);
  return { attached, setAttached, attach, detach };
}

const TITLED_TURNS = 2;

/** Read the open session again if the list lacks it, and after its first turns, because the model may have given it a title. */
function useRefreshedSession(sessionId: string | null, sessions: Sessions, turns: Turns, runningTurn: Turn | null): void {
  const { list, sentCount } = turns;
  const isMissing = sessions.isLoaded && sessions.list.every((one) => one.session_id !== sessionId);
  useEffect(() => {
    if (sessionId !== null && isMissing) sessions.refresh(sessionId);
  }, [sessionId, isMissing]);
  const previous = useRef({ runningTurn, sentCount });
  useEffect(() => {
    const { runningTurn: before, sentCount: sentBefore } = previous.current;
    previous.current = { runningTurn, sentCount };
    // A turn may be over before the response to its message arrives: then the page never shows it running.
    const isOver = runningTurn === null && (before?.sessionId === sessionId || sentCount > sentBefore);
    if (isOver && sessionId !== null && list.length <= TITLED_TURNS) sessions.refresh(sessionId);
  }, [runningTurn?.turnId, sentCount]);
}

/** Return a function that starts a session if no session is open. Concurrent calls share one new session. */
function useEnsureSession(
  sessionId: string | null,
  openSession: (sessionId: string) => void,
  start: (title: string | null) => Promise<Session>,
): (title: string | null) => Promise<string> {
  const pending = useRef<Promise<string> | null>(null);
  return async (title) => {
    if (sessionId !== null) return sessionId;
    pending.current ??= start(title)
      .then(({ session_id }) => {
        openSession(session_id);
        return session_id;
      })
      .finally(() => {
        pending.current = null;
      });
    return pending.current;
  };
}

const SESSION_HASH = /^#(s[0-9A-Za-z_-]+)$/;

/** Keep the open session's id in the URL (`#s…`), so that reload and the Back button work. */
function useSessionIdInUrl(): [string | null, (sessionId: string | null) => void] {
  const sessionId = useSyncExternalStore(onHashChange, readSessionId);
  const openSession = useCallback((id: string | null) => {
    location.hash = id ?? "";
  }, []);
  return [sessionId, openSession];
}

function readSessionId(): string | null {
  return SESSION_HASH.exec(location.hash)?.[1] ?? null;
}

function onHashChange(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}
