import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { restoreLostFocus } from "./shared/focus";
import "./app/theme.css";
import "./app/layout.css";
import "./chat/chat.css";

restoreLostFocus();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
