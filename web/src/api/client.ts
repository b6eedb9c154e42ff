/** The way to the API: typed by its OpenAPI document (make types), signed in, errors as one kind. */
import createClient from "openapi-fetch";
import type { paths, Problem } from "./schema";

/** What goes along with every request to say who asks; session/ sets it. */
export type Credentials = () => Promise<Record<string, string>>;

let credentials: Credentials = async () => ({});

export function signInWith(found: Credentials): void {
  credentials = found;
}

export const api = createClient<paths>({ baseUrl: globalThis.location?.origin ?? "", fetch: (request) => fetch(request) });

api.use({
  async onRequest({ request }) {
    for (const [name, value] of Object.entries(await credentials())) request.headers.set(name, value);
    return request;
  },
});

/** An answer that says what went wrong. `message` is for people, `code` is stable; status 0: no answer at all. */
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

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** Return the data of an answer. Throws ApiError. */
export async function ask<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  let found: Answer<Data>;
  try {
    found = await answer;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "E_NO_CONNECTION", "There is no connection to the server.");
  }
  if (found.response.ok) return found.data as Data;
  throw problemOf(found.response.status, found.error);
}

function problemOf(status: number, body: unknown): ApiError {
  const problem = body !== null && typeof body === "object" ? (body as Problem) : null;
  const detail = problem?.detail || problem?.title || `The server answered with ${status}.`;
  return new ApiError(status, problem?.error_code ?? "E_UNKNOWN", detail, problem);
}
