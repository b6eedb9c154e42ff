import { type FormEvent, useId, useState } from "react";
import { api, unwrap } from "../api/client";
import { useAsync } from "../canvas/useAsync";
import { Button } from "../shared/Button";
import { announce, showError } from "../shared/notifications";
import { texts } from "../texts";

const MAX_CHARS = 4000; // what the API accepts

/** What the user wants in all chats. The server stores it, and new chats begin with it. */
export function Instructions() {
  const id = useId();
  const settings = useAsync("settings", async () => await unwrap(api.GET("/api/me/settings")));
  const [savedText, setSavedText] = useState<string | null>(null);
  const [text, setText] = useState<string | null>(null);
  if (settings.status === "loading") return <p className="faint">{texts.app.loading}</p>;
  if (settings.status === "failed") return <p className="error-message">{settings.message}</p>;
  const stored = savedText ?? settings.value.instructions ?? "";
  const current = text ?? stored;
  const save = (event: FormEvent): void => {
    event.preventDefault();
    unwrap(api.PUT("/api/me/settings", { body: { instructions: current } })).then(() => {
      setSavedText(current);
      announce(texts.settings.saved);
    }, showError);
  };
  return (
    <form className="instructions" onSubmit={save}>
      <label htmlFor={id}>{texts.settings.instructions}</label>
      <span className="faint hint-line">{texts.settings.instructionsHint}</span>
      <textarea id={id} rows={3} maxLength={MAX_CHARS} value={current} onChange={(event) => setText(event.target.value)} />
      <div className="row end">
        <Button type="submit" disabled={current === stored}>
          {texts.settings.save}
        </Button>
      </div>
    </form>
  );
}
