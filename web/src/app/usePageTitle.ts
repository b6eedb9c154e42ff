import { useEffect, useRef } from "react";
import { wantsNotifications } from "../settings/preferences";
import { texts } from "../texts";

const LONG_TURN_MS = 20_000;

/** Show the title of the chat, and whether an answer runs, in the browser's tab. A long answer that ends unseen is notified. */
export function usePageTitle(title: string, isRunning: boolean): void {
  const startedAt = useRef<number | null>(null);
  useEffect(() => {
    document.title = `${isRunning ? "… " : ""}${title === "Satchel" ? title : `${title} - Satchel`}`;
  }, [title, isRunning]);
  useEffect(() => {
    if (isRunning) {
      startedAt.current = Date.now();
      return;
    }
    const isLong = startedAt.current !== null && Date.now() - startedAt.current > LONG_TURN_MS;
    startedAt.current = null;
    if (isLong && document.hidden && wantsNotifications()) {
      new Notification(texts.app.answerComplete, { body: title, tag: "answer" });
    }
  }, [isRunning]);
}
