/**
 * The events of a turn as events of AG-UI. The bridge has the same mapping (local/bridge/ag_ui.py): the tests of both
 * read tests/unit/bridge/ag_ui_events.json.
 */
import { type AGUIEvent, EventType, type Interrupt, type RunFinishedEvent } from "@ag-ui/client";
import type { ApprovalRequest, InputRequested, ToolApprovalRequest, TurnEvent } from "./types.js";

/** The answer to an interrupt `tool_approval`. `true` and `false` alone are accepted, too. */
export const APPROVAL_SCHEMA = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    arguments: { type: "object", description: "Other arguments than the model's." },
    reason: { type: "string" },
  },
  required: ["approved"],
};

/** The call or question that an interrupt waits for. `seq` is the number of the event that ended the run. */
export interface InterruptId {
  turnId: string;
  seq: number;
  callId: string;
  inputId?: string | undefined;
}

/** Return the parts of the id of an interrupt: `turn:seq:call` or `turn:seq:call:input`. */
export function parseInterruptId(text: string): InterruptId {
  const [, turnId, seq, callId, inputId] = /^([^:]+):(\d+):([^:]+)(?::(.+))?$/.exec(text) ?? [];
  if (!turnId || !callId) throw new Error(`There is no interrupt '${text.slice(0, 100)}'.`);
  return { turnId, seq: Number(seq), callId, inputId };
}

/** The events of one turn as events of AG-UI, in order. It knows which message is open and which calls are shown. */
export class ShownEvents {
  private openText: string | null = null;
  private openReasoning: string | null = null;
  private readonly calls = new Set<string>();

  /** Yield the events of AG-UI for an event of the turn. */
  *add(event: TurnEvent): Generator<AGUIEvent> {
    switch (event.type) {
      case "token_stream":
        if (event.text) yield* this.text(`${event.turn_id}-${event.round}-${event.attempt}`, event.text);
        break;
      case "reasoning_stream":
        if (event.text) yield* this.reasoning(`${event.turn_id}-${event.round}-${event.attempt}-reasoning`, event.text);
        break;
      case "turn_started":
        break; // RUN_STARTED
      case "tool_approval_request":
        yield* this.endText();
        this.calls.add(event.call_id);
        break;
      case "tool_start":
        yield* this.call(event.call_id, event.tool, event.arguments);
        break;
      case "tool_complete":
        yield {
          type: EventType.TOOL_CALL_RESULT,
          messageId: `${event.call_id}-result`,
          toolCallId: event.call_id,
          content: typeof event.results === "string" ? event.results : JSON.stringify(event.results),
        };
        break;
      case "input_requested":
      case "response_complete":
      case "turn_failed":
        yield* this.endText();
        break;
      default:
        yield custom(event);
    }
  }

  /** Yield the call that waits for approval, so that the front end shows its arguments. */
  *approval(request: ApprovalRequest): Generator<AGUIEvent> {
    yield* this.call(request.call_id, request.tool, request.arguments);
  }

  /** Yield a piece of a message. Each attempt of a round is a message of its own. */
  private *text(messageId: string, delta: string): Generator<AGUIEvent> {
    if (this.openText !== messageId) {
      yield* this.endText();
      yield { type: EventType.TEXT_MESSAGE_START, messageId, role: "assistant" };
      this.openText = messageId;
    }
    yield { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta };
  }

  /** Yield a piece of reasoning. Each attempt of a round is a message of its own. */
  private *reasoning(messageId: string, delta: string): Generator<AGUIEvent> {
    if (this.openReasoning !== messageId) {
      yield* this.endText();
      yield { type: EventType.REASONING_START, messageId };
      yield { type: EventType.REASONING_MESSAGE_START, messageId, role: "reasoning" };
      this.openReasoning = messageId;
    }
    yield { type: EventType.REASONING_MESSAGE_CONTENT, messageId, delta };
  }

  /** Yield the end of the message or of the reasoning that is open. */
  private *endText(): Generator<AGUIEvent> {
    if (this.openReasoning !== null) {
      yield { type: EventType.REASONING_MESSAGE_END, messageId: this.openReasoning };
      yield { type: EventType.REASONING_END, messageId: this.openReasoning };
      this.openReasoning = null;
    }
    if (this.openText !== null) yield { type: EventType.TEXT_MESSAGE_END, messageId: this.openText };
    this.openText = null;
  }

  private *call(toolCallId: string, toolCallName: string, values: unknown): Generator<AGUIEvent> {
    yield* this.endText();
    if (this.calls.has(toolCallId)) return;
    this.calls.add(toolCallId);
    yield { type: EventType.TOOL_CALL_START, toolCallId, toolCallName };
    yield { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: JSON.stringify(values) };
    yield { type: EventType.TOOL_CALL_END, toolCallId };
  }
}

/** Return an event of a turn as the event CUSTOM, with `added` members. */
export function custom(event: TurnEvent, added: object = {}): AGUIEvent {
  const name = "update_type" in event ? event.update_type : event.type;
  const { turn_id: _, ...value } = event;
  return { type: EventType.CUSTOM, name: `satchel.${name}`, value: { ...value, ...added } };
}

/** Return the event that ends the run, if this event of the turn does. */
export function runEnd(event: TurnEvent, run: { threadId: string; runId: string }): AGUIEvent | null {
  const finished: RunFinishedEvent = { type: EventType.RUN_FINISHED, threadId: run.threadId, runId: run.runId };
  switch (event.type) {
    case "tool_approval_request":
      return { ...finished, outcome: { type: "interrupt", interrupts: [approval(event)] } };
    case "input_requested":
      return { ...finished, outcome: { type: "interrupt", interrupts: [question(event)] } };
    case "response_complete": {
      const { response } = event;
      if (!response) return { ...finished, outcome: { type: "success" } }; // too large for an event
      const usage = [{ inputTokens: response.usage.input_tokens, outputTokens: response.usage.output_tokens }];
      return { ...finished, outcome: { type: "success" }, result: response.message, usage };
    }
    case "turn_failed":
      if (event.status === "cancelled") return { ...finished, outcome: { type: "cancelled" } };
      return { type: EventType.RUN_ERROR, message: event.error.message, code: event.error.error_code };
    default:
      return null;
  }
}

function approval(event: ToolApprovalRequest): Interrupt {
  return {
    id: [event.turn_id, event.seq, event.call_id].join(":"),
    reason: "tool_approval",
    message: `${event.tool} needs your approval.`,
    toolCallId: event.call_id,
    responseSchema: APPROVAL_SCHEMA,
    expiresAt: event.expires_at,
  };
}

function question(event: InputRequested): Interrupt {
  return {
    id: [event.turn_id, event.seq, event.call_id, event.input_id].join(":"),
    reason: event.schema ? "input_required" : "url_visit",
    message: event.url ? `${event.message} ${event.url}` : event.message,
    toolCallId: event.call_id,
    ...(event.schema && { responseSchema: withoutNulls(event.schema) }),
    expiresAt: event.expires_at,
  };
}

/** Return the form without the keywords that it does not use. JSON Schema has no null for them. */
function withoutNulls(form: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(form, (_, value: unknown) => value ?? undefined));
}
