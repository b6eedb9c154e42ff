import { type FormEvent, useState } from "react";
import { api, unwrap } from "../api/client";
import { useAsync } from "../canvas/useAsync";
import { Button } from "../shared/Button";
import { Dialog } from "../shared/Dialog";
import { formatSize } from "../shared/format";
import { showError, toast } from "../shared/notifications";
import { texts } from "../texts";

/** Ask the user to type a word, then delete all of the user's data. */
export function EraseDialog({ onClose }: { onClose(): void }) {
  const request = useAsync("erase", async () => await unwrap(api.DELETE("/api/me")));
  const [typed, setTyped] = useState("");
  const word = texts.settings.eraseWord;
  const token = request.status === "loaded" && "confirm_token" in request.value ? request.value.confirm_token : null;
  const isConfirmed = token !== null && typed.trim().toLowerCase() === word;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isConfirmed) return;
    erase(token).then(onClose, showError);
  };
  return (
    <Dialog title={texts.settings.eraseTitle} onClose={onClose}>
      <form onSubmit={submit}>
        {request.status === "failed" && <p className="error-message">{request.message}</p>}
        {request.status === "loaded" && "usage" in request.value && (
          <p>{texts.settings.eraseIntro(request.value.usage.count, formatSize(request.value.usage.bytes))}</p>
        )}
        <label>
          {texts.settings.eraseType(word)}
          <input autoFocus autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
        </label>
        <div className="row end dialog-actions">
          <button type="button" onClick={onClose}>
            {texts.shared.cancel}
          </button>
          <Button type="submit" className="danger" disabled={!isConfirmed}>
            {texts.settings.eraseConfirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Confirm the erasure, and show an empty page: the deletion itself runs in the background. Throws ApiError. */
async function erase(token: string): Promise<void> {
  await unwrap(api.DELETE("/api/me", { params: { header: { "X-Satchel-Confirm": token } } }));
  location.hash = "";
  toast(texts.settings.erasing);
}
