/** One conversation: send messages, read and change it. */
import { pages } from "./pages.js";
import { keyHeader, type RequestOptions, type Transport, unwrap } from "./transport.js";
import { Turn } from "./turn.js";
import type { SessionOut, SessionPatch, StoredFile, TurnOut } from "./types.js";
import { uploadFile } from "./upload.js";

const SESSION = "/api/sessions/{session_id}";

export interface AskOptions extends RequestOptions {
  /** Files of the message: a `File` is uploaded; a stored file, or its key, is attached. */
  files?: readonly (File | StoredFile | string)[];
  /** Tools that may be called; by default all that the user may call. */
  tools?: readonly string[];
}

/** A conversation. Creating the object sends no request. */
export class Session {
  constructor(
    private readonly transport: Transport,
    readonly sessionId: string,
  ) {}

  /** Send a message and return its turn, which runs on the server. */
  async ask(message: string, { files = [], tools, idempotencyKey }: AskOptions = {}): Promise<Turn> {
    const keys: string[] = [];
    for (const file of files) keys.push(await this.attach(file));
    const body = { message, ...(keys.length > 0 && { files: keys }), ...(tools && { tools: [...tools] }) };
    const params = { path: { session_id: this.sessionId }, header: keyHeader(idempotencyKey) };
    const { turn_id } = await unwrap(this.transport.api.POST(`${SESSION}/turns`, { params, body }));
    return this.turn(turn_id);
  }

  /** Return a turn of this session, to follow it from a cursor. */
  turn(turnId: string, after = 0): Turn {
    return new Turn(this.transport, this.sessionId, turnId, after);
  }

  /** Return the session's settings and status. */
  async read(): Promise<SessionOut> {
    return unwrap(this.transport.api.GET(SESSION, { params: { ...this.params, query: { limit: 1 } } }));
  }

  /** Yield the session's turns, oldest first. */
  async *turns(): AsyncGenerator<TurnOut, void, void> {
    const { api } = this.transport;
    for await (const page of pages((query) => unwrap(api.GET(SESSION, { params: { ...this.params, query } }))))
      yield* page.turns;
  }

  /** Change title, model or instructions; null restores the default. */
  async change(body: SessionPatch): Promise<SessionOut> {
    return unwrap(this.transport.api.PATCH(SESSION, { params: this.params, body }));
  }

  /** End the session: its links stop working and its temporary files are deleted. */
  async end(): Promise<void> {
    await unwrap(this.transport.api.DELETE(SESSION, { params: this.params }));
  }

  private async attach(file: File | StoredFile | string): Promise<string> {
    if (typeof file === "string") return file;
    if (!(file instanceof File)) return file.file_key;
    return (await uploadFile(this.transport, file, { sessionId: this.sessionId })).file_key;
  }

  private get params(): { path: { session_id: string } } {
    return { path: { session_id: this.sessionId } };
  }
}
