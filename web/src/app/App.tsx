import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { ApiError, api, setUnauthorizedHandler, UNAUTHORIZED, unwrap } from "../api/client";
import type { Config } from "../api/types";
import { type Identity, identify, loadSignInSettings } from "../auth/identity";
import { MISSING_KEY } from "../auth/localKey";
import { SignIn } from "../auth/SignIn";
import { Announcer, Toasts } from "../shared/notifications";
import { Layout } from "./Layout";
import { texts } from "../texts";

const FilePage = lazy(() => import("../canvas/FilePage"));

type StartState = { identity: Identity; config: Config } | "signed out";

/** Sign the user in, load the deployment's configuration, and show the page. */
export function App() {
  const [state, setState] = useState<StartState | null>(null);
  const [error, setError] = useState<string | null>(null);
  const begin = useCallback(() => {
    start({ onKeyRejected: () => setError(MISSING_KEY), onSignedOut: () => setState("signed out") }).then(
      setState,
      (reason: Error) => setError((first) => first ?? reason.message),
    );
  }, []);
  useEffect(begin, [begin]);
  return (
    <>
      <Page state={state} error={error} onSignedIn={begin} />
      <Toasts />
      <Announcer />
    </>
  );
}

interface PageProps {
  state: StartState | null;
  error: string | null;
  onSignedIn(): void;
}

function Page({ state, error, onSignedIn }: PageProps) {
  if (error !== null || state === null) return <p className="starting">{error ?? texts.app.loading}</p>;
  if (state === "signed out") return <SignIn onSignedIn={onSignedIn} />;
  const address = new URLSearchParams(location.search);
  if (!address.has("file")) return <Layout {...state} />;
  return (
    <Suspense>
      <FilePage address={address} />
    </Suspense>
  );
}

interface StartHandlers {
  /** Called when a local server does not accept the key, for example because it was started again. */
  onKeyRejected(): void;
  /** Called when a server with passwords no longer accepts the session. */
  onSignedOut(): void;
}

/** Return null while the browser is redirected to the sign-in page. */
async function start({ onKeyRejected, onSignedOut }: StartHandlers): Promise<StartState | null> {
  const settings = await loadSignInSettings();
  const identity = await identify(settings);
  if (settings.auth === "local") setUnauthorizedHandler(onKeyRejected);
  if (settings.auth === "password") setUnauthorizedHandler(onSignedOut);
  try {
    return identity && { identity, config: await unwrap(api.GET("/api/config")) };
  } catch (error) {
    if (settings.auth === "password" && error instanceof ApiError && error.status === UNAUTHORIZED) return "signed out";
    throw error;
  }
}
