/** Tools that the user always allows in a chat. Stored for the tab: another tab or a later visit asks again. */

const STORAGE_KEY = "satchel.allowed-tools.";

export function isAlwaysAllowed(sessionId: string, tool: string): boolean {
  return read(sessionId).includes(tool);
}

export function alwaysAllow(sessionId: string, tool: string): void {
  sessionStorage.setItem(STORAGE_KEY + sessionId, JSON.stringify([...new Set([...read(sessionId), tool])]));
}

function read(sessionId: string): string[] {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY + sessionId) ?? "[]") as string[];
  } catch {
    return [];
  }
}
