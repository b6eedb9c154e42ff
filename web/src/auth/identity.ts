/** Sign-in, and the headers that identify the user in every request. */
import { setAuthHeaders } from "../api/client";
import { showError } from "../shared/notifications";
import { takeKey } from "./localKey";
import { CLIENT_HEADERS, endSession } from "./password";

/** The sign-in method, from the deployment's /config.json. */
export type SignInSettings =
  | { auth: "local" }
  | { auth: "password" }
  | {
      auth: "oidc";
      /** Issuer URL; the client reads its `/.well-known/openid-configuration`. */
      authority: string;
      client_id: string;
      /** Defaults to `openid email`. */
      scope?: string;
      /** Sign-out URL, for issuers such as Cognito that do not publish one in their configuration. */
      logout_url?: string;
    };

export interface Identity {
  /** User name sent to a local server, which accepts any name with its key; "" is its default user. Null with other methods. */
  localUser: string | null;
  switchUser(name: string): void;
  signOut(): void;
}

const STORED_USER = "satchel.user";

/** Load /config.json. Throws if the server does not have it. */
export async function loadSignInSettings(): Promise<SignInSettings> {
  const response = await fetch("/config.json");
  if (!response.ok) throw new Error(`/config.json: ${response.status}`);
  return (await response.json()) as SignInSettings;
}

/** Sign in. Returns null while the browser is redirected to the issuer. With passwords, requests tell who is signed in. */
export async function identify(settings: SignInSettings): Promise<Identity | null> {
  if (settings.auth === "local") return localIdentity();
  if (settings.auth === "password") return sessionIdentity();
  const { signIn } = await import("./oidc"); // loaded only if the deployment uses OIDC
  const signedIn = await signIn(settings);
  if (signedIn === null) return null;
  setAuthHeaders(signedIn.authHeaders);
  return { localUser: null, switchUser: () => undefined, signOut: signedIn.signOut };
}

function sessionIdentity(): Identity {
  setAuthHeaders(async () => CLIENT_HEADERS);
  // The browser may keep the page of a user who has signed out, and show it again after Back.
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  const signOut = async (): Promise<void> => {
    await endSession();
    location.assign("/"); // drops the user's data from memory
  };
  return { localUser: null, switchUser: () => undefined, signOut: () => void signOut().catch(showError) };
}

function localIdentity(): Identity {
  const user = localStorage.getItem(STORED_USER) ?? "";
  const key = takeKey();
  setAuthHeaders(async () => ({ Authorization: `Bearer ${key}`, ...(user && { "X-Satchel-User": user }) }));
  const switchUser = (name: string): void => {
    if (name) localStorage.setItem(STORED_USER, name);
    else localStorage.removeItem(STORED_USER);
    location.hash = "";
    location.reload(); // drops the previous user's data from memory
  };
  return { localUser: user, switchUser, signOut: () => switchUser("") };
}
