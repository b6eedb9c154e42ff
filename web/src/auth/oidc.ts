/** Sign-in with OpenID Connect: authorization code flow with PKCE. The ID token stays in this tab's session storage. */
import { type User, UserManager, WebStorageStateStore } from "oidc-client-ts";
import type { AuthHeaders } from "../api/client";
import type { SignInSettings } from "./identity";

type Settings = Extract<SignInSettings, { auth: "oidc" }>;

export interface SignedIn {
  authHeaders: AuthHeaders;
  signOut(): void;
}

const DEFAULT_SCOPE = "openid email";
const HOME = `${location.origin}/`;

/** Sign in. Returns null while the browser is redirected to the issuer. Throws if the issuer rejects the sign-in. */
export async function signIn(settings: Settings): Promise<SignedIn | null> {
  const manager = new UserManager({
    authority: settings.authority,
    client_id: settings.client_id,
    redirect_uri: HOME,
    post_logout_redirect_uri: HOME,
    scope: settings.scope ?? DEFAULT_SCOPE,
    userStore: new WebStorageStateStore({ store: sessionStorage }),
    stateStore: new WebStorageStateStore({ store: sessionStorage }),
  });
  const user = (await finishRedirect(manager)) ?? (await storedUser(manager));
  if (user === null) {
    await manager.signinRedirect({ state: location.hash });
    return null;
  }
  return { authHeaders: () => authHeadersOf(manager), signOut: () => void signOut(manager, settings) };
}

/** Exchange the code in the URL for tokens, and restore the URL from before the redirect. Returns null without a code. */
async function finishRedirect(manager: UserManager): Promise<User | null> {
  const query = new URLSearchParams(location.search);
  if (!query.has("state") || !(query.has("code") || query.has("error"))) return null;
  const user = await manager.signinRedirectCallback();
  history.replaceState(null, "", `/${typeof user.state === "string" ? user.state : ""}`);
  return user;
}

/** Return the stored user, with an expired token renewed; null if neither is possible. */
async function storedUser(manager: UserManager): Promise<User | null> {
  const user = await manager.getUser();
  if (user === null || !user.expired) return user;
  return user.refresh_token ? manager.signinSilent().catch(() => null) : null;
}

/** Send the ID token, because the access token has no email claim. */
async function authHeadersOf(manager: UserManager): Promise<Record<string, string>> {
  const user = await storedUser(manager);
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
