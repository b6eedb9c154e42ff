"""Streaming format of Anthropic's messages API: named server-sent events."""

import json
from collections.abc import Iterator
from typing import Any

from tests.fake_providers.replies import SIGNATURE, Answer, ErrorKind, FinishReason, HttpError

content_type = "text/event-stream"
garbage = b'event: content_block_delta\ndata: {"type": "content_block_delta", "index"\n\n'
_STOPS = {FinishReason.LENGTH: "max_tokens", FinishReason.FILTERED: "refusal", FinishReason.REFUSED: "refusal"}
_ERRORS = {
    ErrorKind.THROTTLED: (429, "rate_limit_error", "This request would exceed your rate limit."),
    ErrorKind.FAILING: (500, "api_error", "Internal server error"),
    ErrorKind.OVERLOADED: (529, "overloaded_error", "Overloaded"),
    ErrorKind.QUOTA: (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    ErrorKind.TOO_LONG: (400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"),
    ErrorKind.NO_KEY: (401, "authentication_error", "invalid x-api-key"),
    ErrorKind.NO_MODEL: (404, "not_found_error", "model: claude-nonsense"),
    ErrorKind.REJECTED: (400, "invalid_request_error", "messages: at least one message is required"),
}


def _event(type_: str, **payload: Any) -> bytes:  # noqa: ANN401  (any JSON)
    return f"event: {type_}\ndata: {json.dumps({'type': type_, **payload})}\n\n".encode()


def frames(answer: Answer) -> Iterator[bytes]:
    """Yield the frames of an answer."""
    input_tokens, output_tokens = answer.tokens
    base = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    cache_read, cache_written = answer.cache_tokens
    usage = {
        "input_tokens": input_tokens - cache_read - cache_written,
        "cache_read_input_tokens": cache_read,
        "cache_creation_input_tokens": cache_written,
        "output_tokens": 1,
    }
    yield _event("message_start", message={**base, "stop_reason": None, "stop_sequence": None, "usage": usage})
    index = 0
    if answer.thoughts:
        block: dict[str, Any] = {"type": "thinking", "thinking": "", "signature": ""}
        yield _event("content_block_start", index=0, content_block=block)
        for thought in answer.thoughts:
            yield _event("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": thought})
        yield _event("content_block_delta", index=0, delta={"type": "signature_delta", "signature": SIGNATURE})
        yield _event("content_block_stop", index=0)
        index = 1
    if answer.pieces:
        yield _event("content_block_start", index=index, content_block={"type": "text", "text": ""})
        for piece in answer.pieces:
            yield _event("content_block_delta", index=index, delta={"type": "text_delta", "text": piece})
        yield _event("content_block_stop", index=index)
        index += 1
    for number, (name, arguments) in enumerate(answer.calls):
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
        yield _event("content_block_start", index=index, content_block=block)
        for part in (arguments[:5], arguments[5:]):
            delta = {"type": "input_json_delta", "partial_json": part}
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
        index += 1
    stop = _STOPS.get(answer.reason, "tool_use" if answer.calls else "end_turn")
    yield _event(
        "message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage={"output_tokens": output_tokens}
    )
    yield _event("message_stop")


def http_error(kind: ErrorKind) -> HttpError:
    """Return the HTTP error of this kind."""
    status, type_, message = _ERRORS[kind]
    return HttpError(status, {"type": "error", "error": {"type": type_, "message": message}})
