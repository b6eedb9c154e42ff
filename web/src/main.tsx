import { lazy, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { applyTheme, readTheme } from "./app/theme";
import { reloadOnShareChange, sharedToken } from "./share/sharedToken";
import { restoreLostFocus } from "./shared/focus";
import { Announcer, Toasts } from "./shared/notifications";
import { loadTexts } from "./texts";
import "./app/theme.css";
import "./app/layout.css";
import "./chat/chat.css";

const SharedChat = lazy(() => import("./share/SharedChat"));
const token = sharedToken(location.hash);

applyTheme(readTheme());
restoreLostFocus();
reloadOnShareChange();
await loadTexts();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    {token === null ? (
      <App />
    ) : (
      <Suspense>
        <SharedChat token={token} />
        <Toasts />
        <Announcer />
      </Suspense>
    )}
  </StrictMode>,
);
