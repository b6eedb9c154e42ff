/** Sign-in by OpenID Connect: code flow with PKCE, the id token kept in this tab alone. */
import { type User, UserManager, WebStorageStateStore } from "oidc-client-ts";
import type { Credentials } from "../api/client";
import type { SignInSettings } from "./settings";

type Settings = Extract<SignInSettings, { auth: "oidc" }>;

export interface SignedIn {
  credentials: Credentials;
  signOut(): void;
}

const SCOPE = "openid email";
const HOME = `${location.origin}/`;

/** Return who is signed in; null while the browser goes to the issuer. Throws where the issuer says no. */
export async function signIn(settings: Settings): Promise<SignedIn | null> {
  const manager = new UserManager({
    authority: settings.authority,
    client_id: settings.client_id,
    redirect_uri: HOME,
    post_logout_redirect_uri: HOME,
    scope: settings.scope ?? SCOPE,
    userStore: new WebStorageStateStore({ store: sessionStorage }),
    stateStore: new WebStorageStateStore({ store: sessionStorage }),
  });
  const user = (await cameBack(manager)) ?? (await renewed(manager));
  if (user === null) {
    await manager.signinRedirect({ state: location.hash });
    return null;
  }
  return { credentials: () => credentialsOf(manager), signOut: () => void signOut(manager, settings) };
}

/** The issuer has sent the browser back with a code: take it, and show the address from before. */
async function cameBack(manager: UserManager): Promise<User | null> {
  const query = new URLSearchParams(location.search);
  if (!query.has("state") || !(query.has("code") || query.has("error"))) return null;
  const user = await manager.signinRedirectCallback();
  history.replaceState(null, "", `/${typeof user.state === "string" ? user.state : ""}`);
  return user;
}

/** A token that is over is renewed where the issuer gave something to renew it with. */
async function renewed(manager: UserManager): Promise<User | null> {
  const user = await manager.getUser();
  if (user === null || !user.expired) return user;
  return user.refresh_token ? manager.signinSilent().catch(() => null) : null;
}

/** The API reads the id token: an access token carries no e-mail address. */
async function credentialsOf(manager: UserManager): Promise<Record<string, string>> {
  const user = await renewed(manager);
  if (user?.id_token) return { Authorization: `Bearer ${user.id_token}` };
  await manager.signinRedirect({ state: location.hash });
  return {};
}

async function signOut(manager: UserManager, settings: Settings): Promise<void> {
  if (!settings.logout_url) return manager.signoutRedirect();
  await manager.removeUser();
  const query = new URLSearchParams({ client_id: settings.client_id, logout_uri: HOME });
  location.assign(`${settings.logout_url}?${query}`);
}
