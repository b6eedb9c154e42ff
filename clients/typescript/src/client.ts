/** The client: the entry to the sessions, files and links of one user at one server. */
import { closeEventSocket } from "./eventSocket.js";
import { Files } from "./files.js";
import { pages } from "./pages.js";
import { Session } from "./session.js";
import { createTransport, keyHeader, type RequestOptions, type Transport, type TransportOptions, unwrap } from "./transport.js";
import type {
  Config,
  ConversationTurn,
  ImportRequest,
  LinkOut,
  Me,
  NewSession,
  Prompt,
  PromptMessage,
  SessionOut,
  ToolServer,
} from "./types.js";

const CONVERSATION = "/api/conversations/{session_id}";

export interface ClientOptions extends TransportOptions {
  /** The bearer token, or a function that returns it: it is called for each request, because tokens expire. */
  token?: string | (() => string | Promise<string>) | undefined;
  /** Sent in the identity header, which only a server on this machine accepts. */
  user?: string | undefined;
}

/** A client of one Satchel server. Creating the object sends no request. */
export class Client {
  readonly files: Files;
  private readonly transport: Transport;

  constructor({ token, user, ...options }: ClientOptions = {}) {
    const headers = async (): Promise<Record<string, string>> => {
      const value = typeof token === "function" ? await token() : token;
      return { ...(value && { Authorization: `Bearer ${value}` }), ...(user && { "X-Satchel-User": user }) };
    };
    this.transport = createTransport({ headers, ...options });
    this.files = new Files(this.transport);
  }

  /** Sends any request of the API: `unwrap(client.api.GET("/api/tools"))`, with the same retries. */
  get api(): Transport["api"] {
    return this.transport.api;
  }

  /** Close the connection for events, which keeps a program running. The next turn opens a new one. */
  async close(): Promise<void> {
    await closeEventSocket(this.transport);
  }

  /** Start a session. A second request with the same `idempotencyKey` returns the same session. */
  async startSession(body: NewSession = {}, { idempotencyKey }: RequestOptions = {}): Promise<Session> {
    const params = { header: keyHeader(idempotencyKey) };
    const { session_id } = await unwrap(this.api.POST("/api/sessions", { body, params }));
    return this.session(session_id);
  }

  /** Yield the turns of a session, oldest first, with their tool calls, files, approvals and questions. */
  async *conversation(session_id: string): AsyncGenerator<ConversationTurn, void, void> {
    const fetchPage = (query: { cursor?: string }) =>
      unwrap(this.api.GET(CONVERSATION, { params: { path: { session_id }, query } }));
    for await (const page of pages(fetchPage)) yield* page.turns;
  }

  /** Start a session with a history: turns of `conversation`, or at least a `message` for each turn. */
  async importConversation(body: ImportRequest, { idempotencyKey }: RequestOptions = {}): Promise<Session> {
    const params = { header: keyHeader(idempotencyKey) };
    const { session_id } = await unwrap(this.api.POST("/api/conversations", { body, params }));
    return this.session(session_id);
  }

  /** Delete a conversation for good. To end a session whose conversation stays readable, end the session. */
  async deleteConversation(session_id: string): Promise<void> {
    await unwrap(this.api.DELETE(CONVERSATION, { params: { path: { session_id } } }));
  }

  /** Return a session by its id, without a request. */
  session(sessionId: string): Session {
    return new Session(this.transport, sessionId);
  }

  /** Yield the user's sessions, newest first. */
  async *sessions(): AsyncGenerator<SessionOut, void, void> {
    for await (const page of pages((query) => unwrap(this.api.GET("/api/sessions", { params: { query } }))))
      yield* page.sessions;
  }

  /** Yield the user's valid shared links, newest first. */
  async *links(file_key?: string): AsyncGenerator<LinkOut, void, void> {
    const fetchPage = (query: { cursor?: string }) =>
      unwrap(this.api.GET("/api/links", { params: { query: { ...query, ...(file_key && { file_key }) } } }));
    for await (const page of pages(fetchPage)) yield* page.links;
  }

  /** Revoke a shared link. It stops working immediately. */
  async revokeLink(link_id: string): Promise<void> {
    await unwrap(this.api.DELETE("/api/links/{link_id}", { params: { path: { link_id } } }));
  }

  /** Revoke all shared links of the user, and return their number. */
  async revokeLinks(): Promise<number> {
    return (await unwrap(this.api.DELETE("/api/links"))).revoked;
  }

  /** Return the signed-in user, with storage and quotas. */
  async me(): Promise<Me> {
    return unwrap(this.api.GET("/api/me"));
  }

  /** Return the server's configuration for the user. */
  async config(): Promise<Config> {
    return unwrap(this.api.GET("/api/config"));
  }

  /** Return the MCP servers with the tools that the user may call. */
  async servers(): Promise<ToolServer[]> {
    return (await unwrap(this.api.GET("/api/tools"))).servers;
  }

  /** Return the prompts of the MCP servers. */
  async prompts(): Promise<Prompt[]> {
    return (await unwrap(this.api.GET("/api/prompts"))).prompts;
  }

  /** Return the text and the files of a prompt with these arguments. */
  async prompt(server: string, name: string, values: Record<string, string> = {}): Promise<PromptMessage> {
    return unwrap(this.api.POST("/api/prompts", { body: { server, name, arguments: values } }));
  }
}
