/** What the user has chosen for this browser: the key that sends a message, and notifications. */

export const SEND_KEYS = ["enter", "ctrl-enter"] as const;
export type SendKey = (typeof SEND_KEYS)[number];

const SEND_KEY = "satchel.send-key";
const NOTIFICATIONS = "satchel.notifications";

export function readSendKey(): SendKey {
  const stored = localStorage.getItem(SEND_KEY);
  return SEND_KEYS.find((key) => key === stored) ?? "enter";
}

export function storeSendKey(key: SendKey): void {
  localStorage.setItem(SEND_KEY, key);
}

/** Return true if the event sends the message with the chosen key. The other of Enter and Ctrl+Enter starts a new line. */
export function isSendKey(event: { key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean }, chosen: SendKey): boolean {
  if (event.key !== "Enter" || event.shiftKey) return false;
  return chosen === "enter" || event.ctrlKey || event.metaKey;
}

export function canNotify(): boolean {
  return "Notification" in globalThis;
}

/** Return true if the user wants notifications, and the browser shows them. */
export function wantsNotifications(): boolean {
  return canNotify() && Notification.permission === "granted" && localStorage.getItem(NOTIFICATIONS) !== "off";
}

/** Switch notifications on or off. The browser asks the user first. */
export async function setNotifications(isOn: boolean): Promise<void> {
  localStorage.setItem(NOTIFICATIONS, isOn ? "on" : "off");
  if (isOn && Notification.permission === "default") await Notification.requestPermission();
}
