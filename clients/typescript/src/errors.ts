/** Errors of the client. */
import type { Problem } from "./schema.js";

/**
 * A failed request. `message` can be shown to users, `code` is the API's `error_code`, which never changes, and
 * `problem` has its further members. `status` 0 means that no response arrived.
 */
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

/** Return the error of a request that got no response. */
export function noConnection(): ApiError {
  return new ApiError(0, "E_NO_CONNECTION", "Can't reach the server. Check your connection and try again.");
}

/** Return the error of a response with this JSON body. */
export function toApiError(status: number, body: unknown): ApiError {
  const problem = body !== null && typeof body === "object" ? (body as Problem) : null;
  const message = problem?.detail || problem?.title || `The server returned an error (${status}).`;
  return new ApiError(status, problem?.error_code ?? "E_UNKNOWN", message, problem);
}
