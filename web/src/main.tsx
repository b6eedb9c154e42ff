import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { keepFocus } from "./shared/focus";
import "./app/theme.css";
import "./app/frame.css";
import "./chat/chat.css";

keepFocus();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
