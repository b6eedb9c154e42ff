import { type FormEvent, useState } from "react";
import type { Session } from "../api/types";
import { Confirm } from "../shared/Dialog";
import { Icon } from "../shared/icons";
import { explain } from "../shared/toasts";
import type { Sessions } from "./useSessions";

interface SessionListProps {
  sessions: Sessions;
  chosen: string | null;
  /** Whether files outlive their session in this deployment. */
  filesStay: boolean;
  choose(sessionId: string | null): void;
}

/** The conversations: one is open, each can be renamed and ended. */
export function SessionList({ sessions, chosen, filesStay, choose }: SessionListProps) {
  const [ending, setEnding] = useState<Session | null>(null);
  const end = (session: Session): void => {
    sessions.end(session.session_id).then(() => {
      if (session.session_id === chosen) choose(null);
    }, explain);
  };
  return (
    <section className="sessions" aria-label="Sessions">
      <button type="button" className="new" onClick={() => choose(null)}>
        <Icon name="plus" /> New session
      </button>
      <ul>
        {sessions.list.map((session) => (
          <SessionLine
            key={session.session_id}
            session={session}
            isChosen={session.session_id === chosen}
            choose={choose}
            rename={(title) => sessions.change(session.session_id, { title })}
            end={setEnding}
          />
        ))}
      </ul>
      {sessions.hasMore && (
        <button type="button" className="plain" onClick={sessions.more}>
          Earlier sessions
        </button>
      )}
      {ending && (
        <Confirm
          title={`End “${titleOf(ending)}”?`}
          action="End session"
          onConfirm={() => end(ending)}
          onClose={() => setEnding(null)}
        >
          <p>{whatGoes(filesStay)}</p>
        </Confirm>
      )}
    </section>
  );
}

interface SessionLineProps {
  session: Session;
  isChosen: boolean;
  choose(sessionId: string): void;
  rename(title: string): Promise<void>;
  end(session: Session): void;
}

function SessionLine({ session, isChosen, choose, rename, end }: SessionLineProps) {
  const [editing, setEditing] = useState(false);
  const title = titleOf(session);
  const save = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const wanted = String(new FormData(event.currentTarget).get("title")).trim();
    setEditing(false);
    if (wanted && wanted !== session.title) rename(wanted).catch(explain);
  };
  if (editing) {
    return (
      <li>
        <form className="row" onSubmit={save} onKeyDown={(event) => event.key === "Escape" && setEditing(false)}>
          <input name="title" aria-label="Title" defaultValue={session.title ?? ""} maxLength={200} autoFocus />
          <button type="submit">Save</button>
        </form>
      </li>
    );
  }
  return (
    <li className={isChosen ? "chosen" : ""}>
      <button
        type="button"
        className="title"
        aria-current={isChosen ? "page" : undefined}
        onClick={() => choose(session.session_id)}
      >
        {title}
      </button>
      <button type="button" className="plain" aria-label={`Rename ${title}`} onClick={() => setEditing(true)}>
        <Icon name="edit" />
      </button>
      <button type="button" className="plain" aria-label={`End ${title}`} onClick={() => end(session)}>
        <Icon name="trash" />
      </button>
    </li>
  );
}

function titleOf(session: Session): string {
  return session.title || new Date(session.created_at).toLocaleString();
}

function whatGoes(filesStay: boolean): string {
  return filesStay
    ? "Its temporary files will be deleted, and links to its files stop working. Other files stay in My Files."
    : "Its files will be deleted, and links to them stop working.";
}
