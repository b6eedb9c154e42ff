import { useEffect, useState } from "react";
import { api, ask } from "../api/client";
import type { Config } from "../api/types";
import { type Identity, identify } from "../session/identity";
import { readSettings } from "../session/settings";
import { Announcer } from "../shared/announce";
import { Toasts } from "../shared/toasts";
import { Workspace } from "./Workspace";

type Ready = { identity: Identity; config: Config };

/** Signs in, asks what the deployment allows, and shows the frame. */
export function App() {
  const [ready, setReady] = useState<Ready | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  useEffect(() => {
    begin().then(setReady, (error: Error) => setFailed(error.message));
  }, []);
  return (
    <>
      {ready && <Workspace {...ready} />}
      {!ready && <p className="starting">{failed ?? "One moment …"}</p>}
      <Toasts />
      <Announcer />
    </>
  );
}

/** Null while the browser is on its way to where one signs in. */
async function begin(): Promise<Ready | null> {
  const identity = await identify(await readSettings());
  return identity && { identity, config: await ask(api.GET("/api/config")) };
}
