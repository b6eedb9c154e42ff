import { type FormEvent, useEffect, useId, useState } from "react";
import { api, unwrap } from "../api/client";
import { Button } from "../shared/Button";
import { copyText } from "../shared/copyText";
import { DateTime } from "../shared/DateTime";
import { announce, errorMessage, showError } from "../shared/notifications";
import { useSyncedState } from "../shared/useSyncedState";
import { texts } from "../texts";

const LIFETIMES_DAYS = [7, 30, 90, 365] as const;
const MAX_NAME_CHARS = 100; // what the API accepts

interface Token {
  token_id: string;
  name: string;
  expires_at: string;
  last_used_at: string | null;
}

/** The user's tokens for other programs: make one, see its text once, and revoke it. */
export function PersonalTokens() {
  const id = useId();
  const { value: tokens, update, read } = useSyncedState<readonly Token[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [name, setName] = useState("");
  const [days, setDays] = useState<number>(90);
  const [newToken, setNewToken] = useState<{ id: string; text: string } | null>(null);
  useEffect(() => {
    read(unwrap(api.GET("/api/me/tokens")), (_, list) => list.tokens).catch((error: unknown) => setFailure(errorMessage(error)));
  }, [read]);
  const create = (event: FormEvent): void => {
    event.preventDefault();
    unwrap(api.POST("/api/me/tokens", { body: { name: name.trim(), ttl_days: days } })).then(({ token, ...created }) => {
      update((known) => [created, ...without(known, created.token_id)]);
      setNewToken({ id: created.token_id, text: token });
      setName("");
      announce(texts.tokens.created);
    }, showError);
  };
  const revoke = (token_id: string): void => {
    unwrap(api.DELETE("/api/me/tokens/{token_id}", { params: { path: { token_id } } })).then(() => {
      update((known) => without(known, token_id));
      setNewToken((now) => (now?.id === token_id ? null : now));
      announce(texts.tokens.revoked);
    }, showError);
  };
  return (
    <>
      <p className="faint hint-line">{texts.tokens.hint}</p>
      <form className="new-token" onSubmit={create}>
        <label htmlFor={id}>{texts.tokens.name}</label>
        <input
          id={id}
          autoComplete="off"
          maxLength={MAX_NAME_CHARS}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <select aria-label={texts.tokens.lifetime} value={days} onChange={(event) => setDays(Number(event.target.value))}>
          {LIFETIMES_DAYS.map((each) => (
            <option key={each} value={each}>
              {texts.tokens.days(each)}
            </option>
          ))}
        </select>
        <Button type="submit" disabled={name.trim() === ""}>
          {texts.tokens.create}
        </Button>
      </form>
      {newToken && (
        <p className="new-token">
          <input readOnly aria-label={texts.tokens.text} value={newToken.text} onFocus={(event) => event.target.select()} />
          <button type="button" onClick={() => void copyText(newToken.text)}>
            {texts.tokens.copy}
          </button>
          <span className="faint hint-line">{texts.tokens.shownOnce}</span>
        </p>
      )}
      {failure && <p className="error-message">{failure}</p>}
      {tokens === null && !failure && <p className="faint">{texts.app.loading}</p>}
      {tokens && tokens.length > 0 && (
        <ul className="tokens" aria-label={texts.tokens.title}>
          {tokens.map((token) => (
            <li key={token.token_id}>
              <span>
                {token.name}
                <span className="faint hint-line">
                  {texts.tokens.expires} <DateTime at={token.expires_at} />
                  {" · "}
                  {token.last_used_at ? (
                    <>
                      {texts.tokens.lastUsed} <DateTime at={token.last_used_at} />
                    </>
                  ) : (
                    texts.tokens.neverUsed
                  )}
                </span>
              </span>
              <button type="button" aria-label={texts.tokens.revokeNamed(token.name)} onClick={() => revoke(token.token_id)}>
                {texts.tokens.revoke}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function without(tokens: readonly Token[] | null, tokenId: string): readonly Token[] {
  return (tokens ?? []).filter(({ token_id }) => token_id !== tokenId);
}
