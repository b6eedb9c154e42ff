"""Anthropic's messages as they are streamed: named server-sent events."""

import json
from collections.abc import Iterator
from typing import Any

from tests.endpoints.acts import Answers, Failed, Reason, Refusal

content_type = "text/event-stream"
garbage = b'event: content_block_delta\ndata: {"type": "content_block_delta", "index"\n\n'
_STOPS = {Reason.LENGTH: "max_tokens", Reason.FILTERED: "refusal", Reason.REFUSED: "refusal"}
_REFUSALS = {
    Refusal.THROTTLED: (429, "rate_limit_error", "This request would exceed your rate limit."),
    Refusal.FAILING: (500, "api_error", "Internal server error"),
    Refusal.OVERLOADED: (529, "overloaded_error", "Overloaded"),
    Refusal.QUOTA: (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    Refusal.TOO_LONG: (400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"),
    Refusal.NO_KEY: (401, "authentication_error", "invalid x-api-key"),
    Refusal.NO_MODEL: (404, "not_found_error", "model: claude-nonsense"),
    Refusal.REJECTED: (400, "invalid_request_error", "messages: at least one message is required"),
}


def _event(kind: str, **payload: Any) -> bytes:  # noqa: ANN401  (any JSON)
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **payload})}\n\n".encode()


def frames(answer: Answers) -> Iterator[bytes]:
    """Return an answer in frames."""
    came, went = answer.tokens
    base = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    usage = {"input_tokens": came, "output_tokens": 1}
    yield _event("message_start", message={**base, "stop_reason": None, "stop_sequence": None, "usage": usage})
    index = 0
    if answer.pieces:
        yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for piece in answer.pieces:
            yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
        yield _event("content_block_stop", index=0)
        index = 1
    for number, (name, arguments) in enumerate(answer.calls):
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
        yield _event("content_block_start", index=index, content_block=block)
        for part in (arguments[:5], arguments[5:]):
            delta = {"type": "input_json_delta", "partial_json": part}
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
        index += 1
    stop = _STOPS.get(answer.reason, "tool_use" if answer.calls else "end_turn")
    yield _event("message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage={"output_tokens": went})
    yield _event("message_stop")


def refusal(why: Refusal) -> Failed:
    """Return an HTTP error."""
    status, kind, message = _REFUSALS[why]
    return Failed(status, {"type": "error", "error": {"type": kind, "message": message}})
