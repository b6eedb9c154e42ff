/** Who is signed in, and how every request says so. */
import { signInWith } from "../api/client";
import type { SignInSettings } from "./settings";

export interface Identity {
  /** On one machine anybody may be anybody: whose name is sent, "" for the server's own. */
  localUser: string | null;
  switchTo(user: string): void;
  signOut(): void;
}

const STORED_USER = "satchel.user";

/** Sign in as the deployment has it. Returns null while the browser is on its way to where one signs in. */
export async function identify(settings: SignInSettings): Promise<Identity | null> {
  if (settings.auth === "local") return localIdentity();
  const { signIn } = await import("./oidc"); // no part of the page where nobody signs in
  const signedIn = await signIn(settings);
  if (signedIn === null) return null;
  signInWith(signedIn.credentials);
  return { localUser: null, switchTo: () => undefined, signOut: signedIn.signOut };
}

function localIdentity(): Identity {
  const user = localStorage.getItem(STORED_USER) ?? "";
  signInWith(async () => (user ? { "X-Satchel-User": user } : {}));
  const become = (name: string): void => {
    if (name) localStorage.setItem(STORED_USER, name);
    else localStorage.removeItem(STORED_USER);
    location.hash = "";
    location.reload(); // nothing of somebody else's stays in memory
  };
  return { localUser: user, switchTo: become, signOut: () => become("") };
}
