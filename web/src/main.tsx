import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { applyTheme, readTheme } from "./app/theme";
import { restoreLostFocus } from "./shared/focus";
import { loadTexts } from "./texts";
import "./app/theme.css";
import "./app/layout.css";
import "./chat/chat.css";

applyTheme(readTheme());
restoreLostFocus();
await loadTexts();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
