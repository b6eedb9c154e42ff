/** API client: typed by the OpenAPI document (`make types`), authenticated; every failure is an ApiError. */
import createClient from "openapi-fetch";
import type { paths, Problem } from "./schema";

/** Returns the headers that identify the user. */
export type AuthHeaders = () => Promise<Record<string, string>>;

export const UNAUTHORIZED = 401;

let authHeaders: AuthHeaders = async () => ({});
let onUnauthorized = (): void => undefined;

/** Set the source of the headers that every request carries. */
export function setAuthHeaders(provider: AuthHeaders): void {
  authHeaders = provider;
}

/** Set the function that is called when the server no longer accepts the headers (401). */
export function setUnauthorizedHandler(handler: () => void): void {
  onUnauthorized = handler;
}

export const api = createClient<paths>({ baseUrl: globalThis.location?.origin ?? "", fetch: (request) => fetch(request) });

api.use({
  async onRequest({ request }) {
    for (const [name, value] of Object.entries(await authHeaders())) request.headers.set(name, value);
    return request;
  },
  async onResponse({ response }) {
    if (response.status === UNAUTHORIZED) onUnauthorized();
    return undefined;
  },
});

/** A failed request. `message` is shown to users, `code` is stable, `status` 0 means that no response arrived. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly problem: Problem | null = null,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

interface ApiResponse<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** Return the error of a request that got no response. */
export function noConnection(): ApiError {
  return new ApiError(0, "E_NO_CONNECTION", "Can't reach the server. Check your connection and try again.");
}

/** Return the data of a response. Throws ApiError. */
export async function unwrap<Data>(pending: Promise<ApiResponse<Data>>): Promise<Data> {
  let result: ApiResponse<Data>;
  try {
    result = await pending;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw noConnection();
  }
  if (result.response.ok) return result.data as Data;
  throw toApiError(result.response.status, result.error);
}

/** Return the error of a response with this JSON body. */
export function toApiError(status: number, body: unknown): ApiError {
  const problem = body !== null && typeof body === "object" ? (body as Problem) : null;
  const message = problem?.detail || problem?.title || `The server returned an error (${status}).`;
  return new ApiError(status, problem?.error_code ?? "E_UNKNOWN", message, problem);
}
