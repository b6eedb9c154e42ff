import { useEffect, useState } from "react";
import { api, unwrap } from "../api/client";
import type { Config } from "../api/types";
import { type Identity, identify, loadSignInSettings } from "../auth/identity";
import { Announcer, Toasts } from "../shared/notifications";
import { Layout } from "./Layout";

type StartState = { identity: Identity; config: Config };

/** Sign the user in, load the deployment's configuration, and show the page. */
export function App() {
  const [state, setState] = useState<StartState | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    start().then(setState, (reason: Error) => setError(reason.message));
  }, []);
  return (
    <>
      {state && <Layout {...state} />}
      {!state && <p className="starting">{error ?? "Loading…"}</p>}
      <Toasts />
      <Announcer />
    </>
  );
}

/** Return null while the browser is redirected to the sign-in page. */
async function start(): Promise<StartState | null> {
  const identity = await identify(await loadSignInSettings());
  return identity && { identity, config: await unwrap(api.GET("/api/config")) };
}
