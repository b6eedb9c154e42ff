import { useEffect, useState } from "react";
import { api, setUnauthorizedHandler, unwrap } from "../api/client";
import type { Config } from "../api/types";
import { type Identity, identify, loadSignInSettings } from "../auth/identity";
import { MISSING_KEY } from "../auth/localKey";
import { Announcer, Toasts } from "../shared/notifications";
import { Layout } from "./Layout";

type StartState = { identity: Identity; config: Config };

/** Sign the user in, load the deployment's configuration, and show the page. */
export function App() {
  const [state, setState] = useState<StartState | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    start(() => setError(MISSING_KEY)).then(setState, (reason: Error) => setError((first) => first ?? reason.message));
  }, []);
  return (
    <>
      {state && error === null ? <Layout {...state} /> : <p className="starting">{error ?? "Loading…"}</p>}
      <Toasts />
      <Announcer />
    </>
  );
}

/**
 * Return null while the browser is redirected to the sign-in page. `onKeyRejected` is called when a local server does not
 * accept the key, for example because it was started again.
 */
async function start(onKeyRejected: () => void): Promise<StartState | null> {
  const identity = await identify(await loadSignInSettings());
  if (identity && identity.localUser !== null) setUnauthorizedHandler(onKeyRejected);
  return identity && { identity, config: await unwrap(api.GET("/api/config")) };
}
