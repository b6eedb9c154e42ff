"""Streaming format of OpenAI's chat completions: server-sent events."""

import json
from collections.abc import Iterator
from typing import Any

from tests.fake_providers.replies import Answer, ErrorKind, FinishReason, HttpError

content_type = "text/event-stream"
garbage = b'data: {"id": "c1", "choices": [{"index"\n\n'
_FINISHES = {FinishReason.LENGTH: "length", FinishReason.FILTERED: "content_filter"}
_ERRORS = {
    ErrorKind.THROTTLED: (429, "rate_limit_exceeded", "Rate limit reached for requests."),
    ErrorKind.FAILING: (500, None, "The server had an error while processing your request."),
    ErrorKind.OVERLOADED: (503, "overloaded", "The engine is currently overloaded."),
    ErrorKind.QUOTA: (429, "insufficient_quota", "You exceeded your current quota."),
    ErrorKind.TOO_LONG: (400, "context_length_exceeded", "This model's maximum context length is 8192 tokens."),
    ErrorKind.NO_KEY: (401, "invalid_api_key", "Incorrect API key provided: sk-wr***ong."),
    ErrorKind.NO_MODEL: (404, "model_not_found", "The model does not exist."),
    ErrorKind.REJECTED: (400, "invalid_value", "Invalid value: 'messages'."),
}


def _event(payload: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _event({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})


def frames(answer: Answer) -> Iterator[bytes]:
    """Yield the frames of an answer."""
    yield _chunk({"role": "assistant", "content": ""})
    for thought in answer.thoughts:
        yield _chunk({"reasoning_content": thought})
    field = "refusal" if answer.reason is FinishReason.REFUSED else "content"
    for piece in answer.pieces:
        yield _chunk({field: piece})
    for number, (name, arguments) in enumerate(answer.calls):
        call = {"index": number, "id": f"call_{number}", "type": "function"}
        yield _chunk({"tool_calls": [{**call, "function": {"name": name, "arguments": ""}}]})
        for part in (arguments[:5], arguments[5:]):
            yield _chunk({"tool_calls": [{"index": number, "function": {"arguments": part}}]})
    yield _chunk({}, _FINISHES.get(answer.reason, "tool_calls" if answer.calls else "stop"))
    input_tokens, output_tokens = answer.tokens
    total = input_tokens + output_tokens
    usage = {
        "prompt_tokens": input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": total,
        "prompt_tokens_details": {"cached_tokens": answer.cache_tokens[0]},
    }
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    yield _event({**base, "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def http_error(kind: ErrorKind) -> HttpError:
    """Return the HTTP error of this kind."""
    status, code, message = _ERRORS[kind]
    return HttpError(status, {"error": {"message": message, "type": "error", "param": None, "code": code}})
