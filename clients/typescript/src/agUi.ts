/**
 * An agent for `@ag-ui/client` that runs in Satchel, without the bridge: `import { SatchelAgent } from "@satchel/client/ag-ui"`.
 *
 * A thread is a session; a run is a turn, or a part of a turn that ends where the user must decide (docs/bridge.md).
 */
import {
  AbstractAgent,
  type AgentConfig,
  type AGUIEvent,
  type BaseEvent,
  EventType,
  type Message,
  type ResumeEntry,
  type RunAgentInput,
  type UserMessage,
} from "@ag-ui/client";
import { Observable } from "rxjs";
import { custom, type InterruptId, parseInterruptId, runEnd, ShownEvents } from "./agUiEvents.js";
import type { Client } from "./client.js";
import { ApiError } from "./errors.js";
import type { Session } from "./session.js";
import type { Turn } from "./turn.js";
import type { FilesUpdate } from "./types.js";

const DAY_SECONDS = 86_400;
const MAX_KEY_CHARS = 200;
const NOT_FOUND = 404;

/** Endings of file names for media types whose second part is none. */
const EXTENSIONS: Record<string, string> = {
  "text/plain": "txt",
  "text/markdown": "md",
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
};

export interface SatchelAgentConfig extends AgentConfig {
  /** The client of the user's server. Agents may share one; close it when no agent runs any more. */
  client: Client;
  /** The session of the thread. Without it, the first run starts one, and finds it again by the thread for a day. */
  sessionId?: string;
  /** For how long links to files are valid: up to a day, which is the default. */
  linkSeconds?: number;
}

/** An agent of AG-UI whose runs are turns. Aborting a run, or unsubscribing from `run`, cancels its turn. */
export class SatchelAgent extends AbstractAgent {
  private readonly client: Client;
  private readonly linkSeconds: number;
  private readonly sessions = new Map<string, string>();
  private stop = new AbortController();
  private isDetached = false;

  constructor({ client, sessionId, linkSeconds = DAY_SECONDS, ...config }: SatchelAgentConfig) {
    super(config);
    this.client = client;
    this.linkSeconds = linkSeconds;
    if (sessionId) this.sessions.set(this.threadId, sessionId);
  }

  /** The session of the thread, from its first run on. To continue the thread later, save it. */
  get sessionId(): string | undefined {
    return this.sessions.get(this.threadId);
  }

  override runAgent(...parameters: Parameters<AbstractAgent["runAgent"]>): ReturnType<AbstractAgent["runAgent"]> {
    this.stop = new AbortController();
    this.isDetached = false;
    return super.runAgent(...parameters);
  }

  override abortRun(): void {
    this.stop.abort();
  }

  /** Stop following the run. Its turn continues, and a run without a message shows it again. */
  override async detachActiveRun(): Promise<void> {
    this.isDetached = true;
    await super.detachActiveRun();
  }

  override clone(): SatchelAgent {
    const { client, linkSeconds, sessions } = this;
    return Object.assign(super.clone(), { client, linkSeconds, sessions, stop: new AbortController() });
  }

  run(input: RunAgentInput): Observable<BaseEvent> {
    return new Observable((subscriber) => {
      const unsubscribed = new AbortController();
      const signal = AbortSignal.any([this.stop.signal, unsubscribed.signal]);
      signal.addEventListener("abort", () => {
        subscriber.next(runError(signal.reason));
        subscriber.complete();
      });
      const send = async (): Promise<void> => {
        for await (const event of this.events(input, signal)) subscriber.next(event);
        subscriber.complete();
      };
      void send();
      return () => unsubscribed.abort();
    });
  }

  /** Yield the events of a run. An error of Satchel is the event RUN_ERROR. */
  private async *events(input: RunAgentInput, signal: AbortSignal): AsyncGenerator<AGUIEvent> {
    const { threadId, runId } = input;
    yield { type: EventType.RUN_STARTED, threadId, runId };
    try {
      const session = await this.session(threadId);
      signal.throwIfAborted();
      const message = input.messages.at(-1);
      const decisions = (input.resume ?? []).map((entry) => ({ ...entry, ...parseInterruptId(entry.interruptId) }));
      if (decisions[0]) {
        const turn = session.turn(decisions[0].turnId);
        for (const decision of decisions) await resume(turn, decision);
        yield* this.follow(turn, Math.max(...decisions.map(({ seq }) => seq)), input, signal);
      } else if (message?.role === "user") {
        yield* this.follow(await ask(session, threadId, message), 0, input, signal);
      } else {
        yield { type: EventType.MESSAGES_SNAPSHOT, messages: await history(session) }; // the front end has reconnected
        const { running_turn } = await session.read();
        if (running_turn) yield* this.follow(session.turn(running_turn), 0, input, signal);
        else yield { type: EventType.RUN_FINISHED, threadId, runId, outcome: { type: "success" } };
      }
    } catch (error) {
      yield runError(error);
    }
  }

  /** Yield the events after a cursor, until the turn ends or waits for the user. If the signal aborts, cancel the turn. */
  private async *follow(
    turn: Turn,
    cursor: number,
    input: RunAgentInput,
    signal: AbortSignal,
  ): AsyncGenerator<AGUIEvent> {
    const shown = new ShownEvents();
    for await (const event of turn.events(signal)) {
      if (signal.aborted) break;
      if (event.seq <= cursor) {
        for (const _ of shown.add(event)); // the front end has them
        continue;
      }
      if (event.type === "tool_approval_request") yield* shown.approval(await turn.approval(event.call_id));
      else if ("update_type" in event && event.update_type === "files_update")
        yield custom(event, { urls: await this.links(event) });
      else yield* shown.add(event);
      const end = runEnd(event, input);
      if (end) {
        yield end;
        return;
      }
    }
    if (signal.aborted && !this.isDetached) await turn.cancel().catch(() => undefined); // the turn ends by itself
  }

  /** Return links to files by their keys. A file that was deleted meanwhile has none. */
  private async links({ files }: FilesUpdate): Promise<Record<string, string>> {
    const urls: Record<string, string> = {};
    for (const { file_key } of files) {
      try {
        urls[file_key] = (await this.client.files.share(file_key, this.linkSeconds)).url;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== NOT_FOUND) throw error;
      }
    }
    return urls;
  }

  /** Return the session of a thread. A server that knows the key returns the same one in another process, too. */
  private async session(threadId: string): Promise<Session> {
    const sessionId = this.sessions.get(threadId);
    if (sessionId) return this.client.session(sessionId);
    const started = await this.client.startSession({}, { idempotencyKey: `ag-ui-${threadId}`.slice(0, MAX_KEY_CHARS) });
    this.sessions.set(threadId, started.sessionId);
    return started;
  }
}

function runError(error: unknown): AGUIEvent {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = error instanceof ApiError ? error.code : name === "AbortError" && "abort"; // the code of HttpAgent
  return { type: EventType.RUN_ERROR, message, ...(code && { code }) };
}

async function ask(session: Session, threadId: string, { id, content }: UserMessage): Promise<Turn> {
  const texts: string[] = [];
  const files: File[] = [];
  for (const part of typeof content === "string" ? [{ type: "text" as const, text: content }] : content) {
    if (part.type === "text") texts.push(part.text);
    else if (part.source.type === "data") files.push(attachment(part.source.value, part.source.mimeType, files.length + 1));
    else throw new Error("A file of a message must have its content, not an address.");
  }
  const idempotencyKey = `${threadId}-${id}`.slice(0, MAX_KEY_CHARS);
  return session.ask(texts.join("\n"), { files, idempotencyKey });
}

function attachment(base64: string, mime: string, number: number): File {
  const [, ending] = /\/(\w{2,5})$/.exec(mime) ?? [];
  const extension = EXTENSIONS[mime] ?? ending;
  const name = `attachment-${number}${extension ? `.${extension}` : ""}`;
  try {
    return new File([Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))], name, { type: mime });
  } catch {
    throw new Error(`The content of file ${number} of the message is not base64.`);
  }
}

type Decision = ResumeEntry & InterruptId;

/** Send a decision or an answer of the user. */
async function resume(turn: Turn, decision: Decision): Promise<void> {
  const { status, payload, callId, inputId } = decision;
  if (inputId === undefined) return decide(turn, decision);
  const { inputs } = await turn.response();
  const question = inputs.find((each) => each.call_id === callId && each.input_id === inputId);
  if (!question) throw new Error(`The question ${decision.interruptId} is not open.`);
  if (status === "cancelled") await turn.answer(question, null, "cancel");
  else await turn.answer(question, question.mode === "url" ? null : (payload ?? {}));
}

async function decide(turn: Turn, { status, payload, callId }: Decision): Promise<void> {
  const answer = payload !== null && typeof payload === "object" ? payload : { approved: payload };
  if (status === "cancelled" || answer.approved !== true)
    await turn.deny(callId, typeof answer.reason === "string" ? { reason: answer.reason } : {});
  else await turn.approve(await turn.approval(callId), answer.arguments ? { arguments: answer.arguments } : {});
}

/** Return the messages and answers of a session. */
async function history(session: Session): Promise<Message[]> {
  const messages: Message[] = [];
  for await (const { turn_id, message, answer } of session.turns()) {
    messages.push({ id: `${turn_id}-message`, role: "user", content: message });
    if (answer) messages.push({ id: `${turn_id}-answer`, role: "assistant", content: answer });
  }
  return messages;
}
