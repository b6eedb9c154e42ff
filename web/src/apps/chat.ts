/** Additions of apps to the chat: messages that the user allowed, and context for the model's next request. */
type Send = (sessionId: string, text: string) => Promise<void>;

let send: Send | null = null;
const contexts = new Map<string, Map<string, string>>();

/** Set the function that sends a message in a session. */
export function onAppMessage(handler: Send): void {
  send = handler;
}

export async function sendMessage(sessionId: string | null, text: string): Promise<void> {
  if (sessionId === null || send === null) throw new Error("The session of this app no longer exists.");
  await send(sessionId, text);
}

/** Replace the context of one app. An empty text removes it. */
export function setModelContext(sessionId: string | null, app: string, text: string): void {
  if (sessionId === null) return;
  const ofSession = contexts.get(sessionId) ?? new Map<string, string>();
  if (text) ofSession.set(app, text);
  else ofSession.delete(app);
  contexts.set(sessionId, ofSession);
}

/** Return the context of all apps of a session, which goes with one message only. */
export function takeModelContext(sessionId: string): { app: string; text: string }[] {
  const ofSession = contexts.get(sessionId) ?? new Map<string, string>();
  contexts.delete(sessionId);
  return [...ofSession].map(([app, text]) => ({ app, text }));
}
