import { useEffect, useState } from "react";
import { api, unwrap } from "../api/client";
import type { ChatLink, NewChatLink, Session } from "../api/types";
import { copyText } from "../shared/copyText";
import { DateTime } from "../shared/DateTime";
import { Dialog } from "../shared/Dialog";
import { Phrase } from "../shared/Phrase";
import { withErrorToast } from "../shared/notifications";
import { useSyncedState } from "../shared/useSyncedState";
import { texts } from "../texts";
import "./share.css";

const DAY_SECONDS = 86_400;
const LIFETIMES_DAYS = [1, 7, 30, 90];

interface ShareChatDialogProps {
  session: Session;
  /** The end of the branch to share; null: the latest turn. */
  lastTurnId: string | null;
  onClose(): void;
}

/** Create a link that shows a chat read-only, list the chat's links, revoke one. */
export default function ShareChatDialog({ session, lastTurnId, onClose }: ShareChatDialogProps) {
  const [days, setDays] = useState(7);
  const [withFiles, setWithFiles] = useState(false);
  const [newLink, setNewLink] = useState<NewChatLink | null>(null);
  const { value: links, update, read } = useSyncedState<readonly ChatLink[]>([]);
  const { session_id } = session;
  useEffect(() => {
    const query = { session_id, limit: 100 };
    void withErrorToast(() => read(unwrap(api.GET("/api/chat-links", { params: { query } })), (_, page) => page.links));
  }, [session_id, read]);
  const create = () =>
    withErrorToast(async () => {
      const body = { ttl_seconds: days * DAY_SECONDS, with_files: withFiles, turn_id: lastTurnId };
      const link = await unwrap(api.POST("/api/sessions/{session_id}/links", { params: { path: { session_id } }, body }));
      setNewLink(link);
      update((current) => [link, ...without(current, link)]);
    });
  const revoke = (link: ChatLink) =>
    withErrorToast(async () => {
      const path = { chat_link_id: link.chat_link_id };
      await unwrap(api.DELETE("/api/chat-links/{chat_link_id}", { params: { path } }));
      update((current) => without(current, link));
      setNewLink((now) => (now?.chat_link_id === link.chat_link_id ? null : now));
    });
  return (
    <Dialog title={texts.share.title} onClose={onClose}>
      <p>{texts.share.intro}</p>
      <p className="share-options">
        <label>
          {texts.share.expiresAfter}{" "}
          <select value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {LIFETIMES_DAYS.map((number) => (
              <option key={number} value={number}>
                {texts.share.days(number)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input type="checkbox" checked={withFiles} onChange={(event) => setWithFiles(event.target.checked)} /> {texts.share.withFiles}
        </label>
        <button type="button" className="primary" onClick={() => void create()}>
          {links.length > 0 ? texts.share.createAnother : texts.share.create}
        </button>
      </p>
      {newLink && (
        <p className="row">
          <input className="share-url" readOnly aria-label={texts.share.link} value={newLink.url} onFocus={(event) => event.target.select()} />
          <button type="button" onClick={() => void copyText(newLink.url)}>
            {texts.share.copy}
          </button>
        </p>
      )}
      {links.length > 0 && (
        <ul className="share-links" aria-label={texts.share.links}>
          {links.map((link) => (
            <li key={link.chat_link_id} className="row">
              <span>
                <Phrase text={texts.share.expires} parts={{ created: <DateTime at={link.created_at} />, time: <DateTime at={link.expires_at} /> }} />
                {link.with_files && ` · ${texts.share.filesIncluded}`}
                {link.chat_link_id === newLink?.chat_link_id && ` ${texts.share.thisLink}`}
              </span>
              <button type="button" onClick={() => void revoke(link)}>
                {texts.share.revoke}
              </button>
            </li>
          ))}
        </ul>
      )}
      <form method="dialog" className="row end">
        <button type="submit">{texts.shared.close}</button>
      </form>
    </Dialog>
  );
}

function without(links: readonly ChatLink[], removed: ChatLink): ChatLink[] {
  return links.filter((link) => link.chat_link_id !== removed.chat_link_id);
}
