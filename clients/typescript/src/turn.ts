/** One turn: its events, its response, and what its tools ask of the user. */
import { followTurn } from "./followTurn.js";
import { type Transport, unwrap } from "./transport.js";
import type {
  AnsweredInput,
  ApprovalRequest,
  Decision,
  FinalResponse,
  InputAnswer,
  InputRequested,
  OpenInput,
  TurnEvent,
} from "./types.js";

const TURN = "/api/sessions/{session_id}/turns/{turn_id}";
const APPROVAL = `${TURN}/calls/{call_id}/approval` as const;
const INPUT = `${TURN}/calls/{call_id}/input` as const;

/**
 * A turn, which answers one message. It runs on the server; iterate over it to follow its events to the end.
 *
 * Every event is yielded once and in order. `cursor` is the number of the last one: a second iteration, or
 * `session.turn(turnId, cursor)` in another process, continues after it.
 */
export class Turn {
  constructor(
    private readonly transport: Transport,
    readonly sessionId: string,
    readonly turnId: string,
    public cursor = 0,
  ) {}

  [Symbol.asyncIterator](): AsyncGenerator<TurnEvent, void, void> {
    return this.events();
  }

  /** Yield the events after `cursor`, over as many connections as it takes, until the turn or the signal ends. */
  async *events(signal?: AbortSignal): AsyncGenerator<TurnEvent, void, void> {
    const { transport, sessionId, turnId, cursor: after } = this;
    const stop = new AbortController();
    const received: TurnEvent[] = [];
    let wake = (): void => undefined;
    let isDone = false;
    const onEvents = (events: TurnEvent[]): void => {
      received.push(...events);
      wake();
    };
    const signals = AbortSignal.any(signal ? [stop.signal, signal] : [stop.signal]);
    const following = followTurn(transport, { sessionId, turnId, after, onEvents, signal: signals }).finally(() => {
      isDone = true;
      wake();
    });
    following.catch(() => undefined); // thrown below, after the events that have arrived
    try {
      while (!isDone || received.length > 0) {
        for (let event = received.shift(); event; event = received.shift()) {
          this.cursor = event.seq;
          yield event;
        }
        if (!isDone) await new Promise<void>((resolve) => (wake = resolve));
      }
      await following;
    } finally {
      stop.abort();
    }
  }

  /** Wait for the end of the turn and return its response. */
  async wait(): Promise<FinalResponse> {
    for await (const _event of this);
    return this.response();
  }

  /** Return the response with new download links; while the turn runs, the results so far. */
  async response(): Promise<FinalResponse> {
    return unwrap(this.transport.api.GET(TURN, { params: { path: this.path } }));
  }

  /** Cancel the turn and stop its tools. Return its response. */
  async cancel(): Promise<FinalResponse> {
    return unwrap(this.transport.api.DELETE(TURN, { params: { path: this.path } }));
  }

  /** Return the call that needs approval, with the arguments to show to the user. */
  async approval(callId: string): Promise<ApprovalRequest> {
    return unwrap(this.transport.api.GET(APPROVAL, { params: { path: { ...this.path, call_id: callId } } }));
  }

  /** Let a call run, with these arguments if they are given. The first decision is final. */
  async approve(request: ApprovalRequest, options: { arguments?: Record<string, unknown> } = {}): Promise<Decision> {
    const params = { path: { ...this.path, call_id: request.call_id } };
    const body = { approved: true, digest: request.digest, ...options };
    return unwrap(this.transport.api.POST(APPROVAL, { params, body }));
  }

  /** Refuse a call. The model reads the reason. */
  async deny(callId: string, options: { reason?: string } = {}): Promise<Decision> {
    const params = { path: { ...this.path, call_id: callId } };
    return unwrap(this.transport.api.POST(APPROVAL, { params, body: { approved: false, ...options } }));
  }

  /** Answer a tool's question. Throws ApiError if the content does not fit the form. */
  async answer(
    question: InputRequested | OpenInput,
    content: InputAnswer["content"] = null,
    action: InputAnswer["action"] = "accept",
  ): Promise<AnsweredInput> {
    const params = { path: { ...this.path, call_id: question.call_id } };
    const body = { input_id: question.input_id, action, ...(content && { content }) };
    return unwrap(this.transport.api.POST(INPUT, { params, body }));
  }

  private get path(): { session_id: string; turn_id: string } {
    return { session_id: this.sessionId, turn_id: this.turnId };
  }
}
