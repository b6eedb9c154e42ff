/** The page's connection to the API, and the identity that every request carries. */
import { type AuthHeaders, createTransport, type FollowOptions, followTurn as follow, UNAUTHORIZED } from "@satchel/client";
import { setConnected } from "./connection";

export { ApiError, type AuthHeaders, noConnection, toApiError, UNAUTHORIZED, unwrap } from "@satchel/client";

/** A user waits for the request, so give up after two seconds. */
const RETRY_DELAYS_MS = [500, 500, 500, 500];

let authHeaders: AuthHeaders = async () => ({});
let onUnauthorized = (): void => undefined;

/** Set the source of the headers that every request carries. */
export function setAuthHeaders(provider: AuthHeaders): void {
  authHeaders = provider;
}

/** Set the function that is called when the server no longer accepts the headers (401). Each sign-in sets its own. */
export function setUnauthorizedHandler(handler: () => void): void {
  onUnauthorized = handler;
}

export const transport = createTransport({
  headers: () => authHeaders(),
  retryDelaysMs: RETRY_DELAYS_MS,
  fetch: async (request) => {
    const handler = onUnauthorized;
    const response = await fetch(request);
    // A late answer to a request from before the latest sign-in says nothing about that one.
    if (response.status === UNAUTHORIZED && handler === onUnauthorized) handler();
    return response;
  },
});

export const { api } = transport;

/** Follow a turn until it ends, and keep the connection state up to date. Throws ApiError if the server refuses. */
export async function followTurn(options: FollowOptions): Promise<void> {
  await follow(transport, { ...options, onConnection: setConnected });
  if (options.signal.aborted) setConnected(true); // nothing tries any longer: the next request finds out
}
