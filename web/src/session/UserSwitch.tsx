import { type FormEvent, useState } from "react";
import { Dialog } from "../shared/Dialog";
import type { Identity } from "./identity";

interface UserSwitchProps {
  user: string;
  identity: Identity;
}

/** Who is signed in. On one machine anybody may be anybody; else one may sign out. */
export function UserSwitch({ user, identity }: UserSwitchProps) {
  const [asking, setAsking] = useState(false);
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
  const become = (event: FormEvent<HTMLFormElement>): void => {
    identity.switchTo(String(new FormData(event.currentTarget).get("user")).trim());
  };
  return (
    <div className="user">
      <button type="button" className="plain" aria-label={`Signed in as ${user}. Change`} onClick={() => setAsking(true)}>
        {user}
      </button>
      {asking && (
        <Dialog title="Be somebody else" onClose={() => setAsking(false)}>
          <form method="dialog" onSubmit={become}>
            <label>
              E-mail address
              <input name="user" defaultValue={user} pattern="[A-Za-z0-9][A-Za-z0-9._@+\-]{0,63}" autoFocus />
            </label>
            <p className="faint">This server runs on one machine and believes whatever it is told.</p>
            <div className="row end">
              <button type="submit">Go on</button>
            </div>
          </form>
        </Dialog>
      )}
    </div>
  );
}
