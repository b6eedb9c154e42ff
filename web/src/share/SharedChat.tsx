/** A chat that someone shares by a link: read-only, without sign-in, apps and dashboards. */
import { useCallback, useEffect, useState } from "react";
import { api, unwrap } from "../api/client";
import type { SharedCall, SharedChat as Chat, SharedFile, SharedTurn } from "../api/types";
import { DateTime } from "../shared/DateTime";
import { Icon } from "../shared/Icon";
import { Markdown } from "../shared/Markdown";
import { Phrase } from "../shared/Phrase";
import { texts } from "../texts";
import "./share.css";

/** Show the chat of a link's secret. Search engines must not list it, and the address of the page tells them nothing. */
export default function SharedChat({ token }: { token: string }) {
  const [chat, setChat] = useState<Chat | null>(null);
  const [error, setError] = useState<string | null>(null);
  const load = useCallback(
    (cursor: string | null) => {
      const query = { token, ...(cursor && { cursor }) };
      const add = (page: Chat) => (before: Chat | null) => ({ ...page, turns: [...(cursor && before ? before.turns : []), ...page.turns] });
      unwrap(api.GET("/api/shared-chat", { params: { query } })).then(
        (page) => setChat(add(page)),
        (reason: Error) => setError(reason.message),
      );
    },
    [token],
  );
  useEffect(() => load(null), [load]);
  useEffect(forbidIndexing, []);
  const title = chat?.title || texts.share.untitled;
  useEffect(() => {
    document.title = `${title} - Satchel`;
  }, [title]);
  if (chat === null) return <p className="starting">{error ?? texts.app.loading}</p>;
  return (
    <main className="shared-chat">
      <header>
        <h1>{title}</h1>
        <p className="faint">
          <Phrase text={texts.share.notice} parts={{ time: <DateTime at={chat.shared_at} /> }} />
        </p>
      </header>
      {chat.turns.map((turn) => (
        <TurnOfChat key={turn.turn_id} turn={turn} />
      ))}
      {chat.turns.length === 0 && <p>{texts.share.empty}</p>}
      {chat.cursor && (
        <button type="button" onClick={() => load(chat.cursor)}>
          {texts.share.more}
        </button>
      )}
      {error && <p className="error-message">{error}</p>}
    </main>
  );
}

function TurnOfChat({ turn }: { turn: SharedTurn }) {
  return (
    <article className="turn">
      <div className="user-message">{turn.message}</div>
      <div className="answer">
        {turn.tool_calls.length > 0 && (
          <ul className="shared-calls faint" aria-label={texts.share.calls}>
            {turn.tool_calls.map((call, index) => (
              <li key={index}>
                <Icon name="tool" /> {describe(call)}
              </li>
            ))}
          </ul>
        )}
        {turn.answer && <Markdown text={turn.answer} />}
        {turn.files.length > 0 && (
          <ul className="shared-files" aria-label={texts.share.files}>
            {turn.files.map((file, index) => (
              <li key={index}>
                <FileCard file={file} />
              </li>
            ))}
          </ul>
        )}
        {turn.status !== "complete" && <p className="note">{turn.error?.message ?? texts.turn.noAnswer}</p>}
      </div>
    </article>
  );
}

function describe({ tool, is_error, duration_ms }: SharedCall): string {
  const seconds = duration_ms === null ? null : `${(duration_ms / 1000).toFixed(1)} s`;
  return [tool, seconds, is_error && texts.call.status.failed].filter(Boolean).join(" · ");
}

/** A link to the file, or its name if its owner does not share it. An app is a card, because it acts for its user. */
function FileCard({ file }: { file: SharedFile }) {
  const icon = <Icon name={file.is_app ? "panel" : "file"} />;
  if (file.download_url === null) {
    return (
      <span className="shared-file faint">
        {icon} {file.name} · {file.is_app ? texts.share.app : texts.share.notShared}
      </span>
    );
  }
  return (
    <a className="shared-file" href={`${file.download_url}&attachment=true`} download={file.name} rel="noreferrer">
      {icon} {file.name}
    </a>
  );
}

function forbidIndexing(): () => void {
  const robots = document.createElement("meta");
  robots.name = "robots";
  robots.content = "noindex, nofollow";
  document.head.append(robots);
  return () => robots.remove();
}
