import { type FormEvent, lazy, Suspense, useState } from "react";
import type { ChatMatch, Session } from "../api/types";
import { ConfirmDialog } from "../shared/Dialog";
import { Icon } from "../shared/Icon";
import { Menu } from "../shared/Menu";
import { showError, withErrorToast } from "../shared/notifications";
import { type ExportFormat, exportChat } from "./exportChat";
import { groupByDay } from "./groupByDay";
import { timesOfSameTitles, titleOf } from "./titles";
import { useChatSearch } from "./useChatSearch";
import type { SessionChange, Sessions } from "./useSessions";
import { texts } from "../texts";

const ShareChatDialog = lazy(() => import("../share/ShareChatDialog"));

interface SessionListProps {
  sessions: Sessions;
  /** The open session. */
  currentId: string | null;
  /** The last turn of the branch that is shown of the open session. */
  lastTurnId: string | null;
  /** Whether this deployment keeps files after their session ends. */
  keepsFiles: boolean;
  /** Open a new chat to write in. */
  onNew(): void;
  onOpen(sessionId: string): void;
  /** Called when a session has ended. */
  onEnded(sessionId: string): void;
}

/** List of sessions, called chats on the page: open, rename and delete them. */
export function SessionList({ sessions, currentId, lastTurnId, keepsFiles, onNew, onOpen, onEnded }: SessionListProps) {
  const [deleting, setDeleting] = useState<Session | null>(null);
  const [sharing, setSharing] = useState<Session | null>(null);
  const [query, setQuery] = useState("");
  const needle = query.trim().toLowerCase();
  const [showsArchive, setShowsArchive] = useState(false);
  const search = useChatSearch(needle);
  const listed = sessions.list.filter((session) => !session.temporary);
  const shown = listed.filter((session) => session.archived === showsArchive);
  const found = needle ? findSessions(listed, needle, search.matches) : shown;
  const times = timesOfSameTitles(found);
  const snippets = new Map(search.matches.map(({ session, snippet }) => [session.session_id, snippet]));
  const end = (session: Session): void => {
    sessions.end(session.session_id).then(() => {
      search.refresh();
      onEnded(session.session_id);
    }, showError);
  };
  return (
    <>
      <section className="sessions" aria-label={texts.sessions.chats}>
        <button type="button" className="new" onClick={onNew}>
          <Icon name="plus" /> {texts.sessions.new}
        </button>
        <input
          type="search"
          className="search"
          aria-label={texts.sessions.search}
          placeholder={texts.sessions.search}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        {groupByDay(found, new Date()).map(({ title: day, sessions: group }) => (
          <section key={day} aria-label={day}>
            <h2 className="faint">{day}</h2>
            <ul>
              {group.map((session) => (
                <SessionItem
                  key={session.session_id}
                  session={session}
                  time={times.get(session.session_id) ?? null}
                  snippet={(needle && snippets.get(session.session_id)) || null}
                  isCurrent={session.session_id === currentId}
                  onOpen={onOpen}
                  onChange={(changes) => sessions.change(session.session_id, changes).then(search.refresh)}
                  onDelete={setDeleting}
                  onShare={setSharing}
                />
              ))}
            </ul>
          </section>
        ))}
        {needle && found.length === 0 && <p className="faint">{search.isSearching ? texts.app.loading : texts.sessions.noMatch}</p>}
        {(showsArchive || listed.some((session) => session.archived)) && (
          <button type="button" className="plain archive" aria-pressed={showsArchive} onClick={() => setShowsArchive(!showsArchive)}>
            <Icon name="archive" /> {texts.sessions.archive}
          </button>
        )}
        {sessions.hasMore && (
          <button type="button" className="plain" onClick={sessions.loadMore}>
            {texts.sessions.showMore}
          </button>
        )}
      </section>
      {deleting && (
        <ConfirmDialog
          title={texts.sessions.deleteTitle(titleOf(deleting))}
          action={texts.sessions.deleteChat}
          onConfirm={() => end(deleting)}
          onClose={() => setDeleting(null)}
        >
          <p>{deletionWarning(keepsFiles)}</p>
        </ConfirmDialog>
      )}
      {sharing && (
        <Suspense>
          <ShareChatDialog session={sharing} lastTurnId={sharing.session_id === currentId ? lastTurnId : null} onClose={() => setSharing(null)} />
        </Suspense>
      )}
    </>
  );
}

/** Return the loaded chats whose title has the text, at once, and those that the server has found, newest first. */
function findSessions(loaded: readonly Session[], needle: string, matches: readonly ChatMatch[]): Session[] {
  const byTitle = loaded.filter((session) => titleOf(session).toLowerCase().includes(needle));
  const known = new Set(byTitle.map((session) => session.session_id));
  const others = matches.filter(({ session }) => !known.has(session.session_id)).map(({ session }) => session);
  return [...byTitle, ...others].sort((one, other) => (one.session_id > other.session_id ? -1 : 1));
}

interface SessionItemProps {
  session: Session;
  /** The part of a message in which a search has found its words. */
  snippet: string | null;
  /** Shown if another chat of the list has the same title. */
  time: string | null;
  isCurrent: boolean;
  onOpen(sessionId: string): void;
  onChange(changes: SessionChange): Promise<void>;
  onDelete(session: Session): void;
  onShare(session: Session): void;
}

function SessionItem({ session, snippet, time, isCurrent, onOpen, onChange, onDelete, onShare }: SessionItemProps) {
  const [isEditing, setEditing] = useState(false);
  const title = titleOf(session);
  const change = (changes: SessionChange) => () => void onChange(changes).catch(showError);
  const save = (format: ExportFormat) => () => void withErrorToast(() => exportChat(session, format));
  const rename = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const newTitle = String(new FormData(event.currentTarget).get("title")).trim();
    setEditing(false);
    if (newTitle && newTitle !== session.title) onChange({ title: newTitle }).catch(showError);
  };
  if (isEditing) {
    return (
      <li>
        <form className="row" onSubmit={rename} onKeyDown={(event) => event.key === "Escape" && setEditing(false)}>
          <input name="title" aria-label={texts.sessions.title} defaultValue={session.title ?? ""} maxLength={200} autoFocus />
          <button type="submit">{texts.sessions.save}</button>
        </form>
      </li>
    );
  }
  return (
    <li className={isCurrent ? "current" : ""}>
      <button
        type="button"
        className="title"
        aria-current={isCurrent ? "page" : undefined}
        onClick={() => onOpen(session.session_id)}
      >
        {title}
        {time && <span className="faint"> {time}</span>}
        {session.waits_for_user && <span className="waiting">{texts.sessions.needsAnswer}</span>}
        {snippet && <span className="snippet faint">{snippet}</span>}
      </button>
      <Menu
        label={texts.sessions.actions(time ? `${title} ${time}` : title)}
        items={[
          { label: texts.sessions.rename, icon: "edit", choose: () => setEditing(true) },
          session.pinned
            ? { label: texts.sessions.unpin, icon: "pin", choose: change({ pinned: false }) }
            : { label: texts.sessions.pin, icon: "pin", choose: change({ pinned: true }) },
          session.archived
            ? { label: texts.sessions.unarchive, icon: "archive", choose: change({ archived: false }) }
            : { label: texts.sessions.toArchive, icon: "archive", choose: change({ archived: true }) },
          { label: texts.share.share, icon: "share", choose: () => onShare(session) },
          { label: texts.export.markdown, icon: "download", choose: save("md") },
          { label: texts.export.json, icon: "download", choose: save("json") },
          { label: texts.export.zip, icon: "download", choose: save("zip") },
          { label: texts.sessions.deleteChat, icon: "trash", isDanger: true, choose: () => onDelete(session) },
        ]}
      />
    </li>
  );
}

function deletionWarning(keepsFiles: boolean): string {
  return keepsFiles
    ? texts.sessions.deletionKeepsFiles
    : texts.sessions.deletionRemovesFiles;
}
