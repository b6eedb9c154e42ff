/** Requests to the API: typed by the OpenAPI document, authenticated, and repeated if that may help. */
import createClient, { type Client as Api } from "openapi-fetch";
import { ApiError, noConnection, toApiError } from "./errors.js";
import type { paths } from "./schema.js";
import { sleep } from "./sleep.js";

export const UNAUTHORIZED = 401;
export const TOO_MANY_REQUESTS = 429;

/** Milliseconds between retries. A server can restart within their sum. */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000];
const MAX_RETRY_AFTER_MS = 60_000;
const UNAVAILABLE = new Set([502, 503, 504]);
const PERSONAL_TOKEN = "satchel_";
const BY_TOKEN_PATH = "/api/by-token";
const IDEMPOTENCY_KEY = "Idempotency-Key";

export type AuthHeaders = () => Record<string, string> | Promise<Record<string, string>>;

export interface TransportOptions {
  /** Address of the server; by default the origin of the page. */
  url?: string | undefined;
  /** Returns the headers that identify the user. It is called for each request, because tokens expire. */
  headers?: AuthHeaders;
  /** Called when the server does not accept the headers (401). */
  onUnauthorized?(): void;
  /** Milliseconds between the attempts of a request; none disables retries. */
  retryDelaysMs?: readonly number[];
  /** Sends the requests; by default the global `fetch`. */
  fetch?(request: Request): Promise<Response>;
  /** Opens the connection for events; by default the global `WebSocket`. Null: events are polled. */
  webSocket?: typeof WebSocket | null;
}

export interface RequestOptions {
  /** A second request with the same key, within a day, returns what the first one created. */
  idempotencyKey?: string | undefined;
}

/** Return the header of a key, if there is one. */
export function keyHeader(key: string | undefined): { "idempotency-key"?: string } {
  return key ? { "idempotency-key": key } : {};
}

export interface Transport {
  readonly url: string;
  /** Sends any request of the API: `unwrap(api.GET("/api/me"))`. */
  readonly api: Api<paths>;
  /** The class of the connection for events, or null if there is none. */
  readonly webSocket: typeof WebSocket | null;
  /** Sends a request without retries; for the option `fetch` of `api`. */
  sendOnce(request: Request): Promise<Response>;
}

/** Create a transport. It sends nothing until its first request. */
export function createTransport(options: TransportOptions = {}): Transport {
  const url = (options.url ?? globalThis.location?.origin ?? "").replace(/\/$/, "");
  const send = options.fetch ?? ((request: Request) => fetch(request));
  let wasReached = false;

  const sendOnce = async (request: Request): Promise<Response> => {
    const headers = Object.entries((await options.headers?.()) ?? {});
    for (const [name, value] of headers) request.headers.set(name, value);
    const response = await send(byToken(request, url));
    wasReached = true;
    if (response.status === UNAUTHORIZED) options.onUnauthorized?.();
    return response;
  };

  /**
   * Send a request, and repeat it if that may help. The key makes a repeated POST create nothing twice. The operations that
   * ignore the key are harmless to repeat.
   */
  const sendWithRetries = async (request: Request): Promise<Response> => {
    if (request.method === "POST" && !request.headers.has(IDEMPOTENCY_KEY))
      request.headers.set(IDEMPOTENCY_KEY, crypto.randomUUID());
    for (const delay of options.retryDelaysMs ?? RETRY_DELAYS_MS) {
      const result = await sendOnce(request.clone()).catch((error: unknown) => error);
      const wait = result instanceof Response ? await waitFor(result, delay) : delay;
      // A server that never answered is not tried again, because its address is probably wrong.
      if (!wasReached || request.signal.aborted || wait === null) return settle(result);
      await sleep(wait, request.signal);
    }
    return sendOnce(request);
  };

  return {
    url,
    // Like the global `fetch`, it is looked up when it is used.
    get webSocket() {
      return options.webSocket === undefined ? (globalThis.WebSocket ?? null) : options.webSocket;
    },
    sendOnce,
    api: createClient<paths>({ baseUrl: url, fetch: sendWithRetries }),
  };
}

/** Return the request at the address for personal tokens, if it has one. A deployment accepts them only there. */
function byToken(request: Request, base: string): Request {
  const hasToken = request.headers.get("Authorization")?.startsWith(`Bearer ${PERSONAL_TOKEN}`);
  return hasToken ? new Request(base + BY_TOKEN_PATH + request.url.slice(base.length), request) : request;
}

/** Return the milliseconds to wait before the request is repeated, or null if that is of no use. */
async function waitFor(response: Response, delay: number): Promise<number | null> {
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  const wait = Number.isNaN(seconds) ? delay : Math.max(delay, seconds * 1_000);
  if (wait > MAX_RETRY_AFTER_MS) return null;
  if (UNAVAILABLE.has(response.status)) return wait;
  if (response.status !== TOO_MANY_REQUESTS) return null;
  // A quota that waiting does not free has no Retry-After. A gateway's own error has no code.
  return Number.isNaN(seconds) && (await hasCode(response.clone())) ? null : wait;
}

async function hasCode(response: Response): Promise<boolean> {
  return response.json().then(
    (body) => typeof body?.error_code === "string",
    () => false,
  );
}

function settle(result: unknown): Response {
  if (result instanceof Response) return result;
  throw result;
}

interface ApiResponse<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** Return the data of a response. Throws ApiError. */
export async function unwrap<Data>(pending: Promise<ApiResponse<Data>>): Promise<Data> {
  let result: ApiResponse<Data>;
  try {
    result = await pending;
  } catch (error) {
    if (isAbort(error)) throw error;
    throw noConnection();
  }
  if (result.response.ok) return result.data as Data;
  throw toApiError(result.response.status, result.error);
}

/** Return true if the caller's signal ended the request. */
function isAbort(error: unknown): boolean {
  return error instanceof DOMException && (error.name === "AbortError" || error.name === "TimeoutError");
}

/** Return true if retrying cannot change the response. */
export function isPermanent(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== TOO_MANY_REQUESTS;
}
