import { type FormEvent, useState } from "react";
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
          Sign out
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
        aria-label={`Signed in as ${user}. Switch user`}
        onClick={() => setSwitching(true)}
      >
        {user}
      </button>
      {isSwitching && (
        <Dialog title="Switch user" onClose={() => setSwitching(false)}>
          <form method="dialog" onSubmit={submit}>
            <label>
              Email address
              <input name="user" defaultValue={user} pattern="[A-Za-z0-9][A-Za-z0-9._@+\-]{0,63}" autoFocus />
            </label>
            <p className="faint">This local server does not ask for a password.</p>
            <div className="row end">
              <button type="button" onClick={() => setSwitching(false)}>
                Cancel
              </button>
              <button type="submit" className="primary">
                Continue
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </div>
  );
}
