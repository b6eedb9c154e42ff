/** Sign-in with name and password at a server with accounts. The browser keeps the session in a cookie. */
import { noConnection, toApiError } from "../api/client";

/** Pages of other sites cannot send this header, so the server accepts the cookie only with it. */
export const CLIENT_HEADERS = { "X-Satchel-Client": "page" };

/** Sign in. Throws ApiError if the server refuses. */
export async function signInWithPassword(user: string, password: string): Promise<void> {
  await post("/auth/sign-in", JSON.stringify({ user, password }));
}

/** End the session. Throws ApiError if the server cannot be reached. */
export async function endSession(): Promise<void> {
  await post("/auth/sign-out");
}

async function post(path: string, body: string | null = null): Promise<void> {
  const headers = { ...CLIENT_HEADERS, ...(body && { "Content-Type": "application/json" }) };
  let response: Response;
  try {
    response = await fetch(path, { method: "POST", headers, body });
  } catch {
    throw noConnection();
  }
  if (!response.ok) throw toApiError(response.status, await response.json().catch(() => null));
}
