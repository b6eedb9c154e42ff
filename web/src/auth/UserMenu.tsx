import { type FormEvent, useState } from "react";
import { texts } from "../texts";
import { Dialog } from "../shared/Dialog";
import type { Identity } from "./identity";

interface UserMenuProps {
  user: string;
  identity: Identity;
}

/** The signed-in user, with Sign out; on a local server, with Switch user instead. */
export function UserMenu({ user, identity }: UserMenuProps) {
  const [isSwitching, setSwitching] = useState(false);
  if (identity.localUser === null) {
    return (
      <div className="user">
        <span>{user}</span>
        <button type="button" className="plain" onClick={identity.signOut}>
          {texts.auth.signOut}
        </button>
      </div>
    );
  }
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    identity.switchUser(String(new FormData(event.currentTarget).get("user")).trim());
  };
  return (
    <div className="user">
      <button
        type="button"
        className="plain"
        aria-label={texts.auth.signedIn(user)}
        onClick={() => setSwitching(true)}
      >
        {user}
      </button>
      {isSwitching && (
        <Dialog title={texts.auth.switchUser} onClose={() => setSwitching(false)}>
          <form method="dialog" onSubmit={submit}>
            <label>
              {texts.auth.email}
              <input name="user" defaultValue={user} pattern="[A-Za-z0-9][A-Za-z0-9._@+\-]{0,63}" autoFocus />
            </label>
            <p className="faint">{texts.auth.noPassword}</p>
            <div className="row end">
              <button type="button" onClick={() => setSwitching(false)}>
                {texts.shared.cancel}
              </button>
              <button type="submit" className="primary">
                {texts.auth.continue}
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </div>
  );
}
