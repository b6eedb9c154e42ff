"""Chat completions as OpenAI streams them: server-sent events."""

import json
from collections.abc import Iterator
from typing import Any

from tests.endpoints.acts import Answers, Failed, Reason, Refusal

content_type = "text/event-stream"
garbage = b'data: {"id": "c1", "choices": [{"index"\n\n'
_FINISHES = {Reason.LENGTH: "length", Reason.FILTERED: "content_filter"}
_REFUSALS = {
    Refusal.THROTTLED: (429, "rate_limit_exceeded", "Rate limit reached for requests."),
    Refusal.FAILING: (500, None, "The server had an error while processing your request."),
    Refusal.OVERLOADED: (503, "overloaded", "The engine is currently overloaded."),
    Refusal.QUOTA: (429, "insufficient_quota", "You exceeded your current quota."),
    Refusal.TOO_LONG: (400, "context_length_exceeded", "This model's maximum context length is 8192 tokens."),
    Refusal.NO_KEY: (401, "invalid_api_key", "Incorrect API key provided: sk-wr***ong."),
    Refusal.NO_MODEL: (404, "model_not_found", "The model does not exist."),
    Refusal.REJECTED: (400, "invalid_value", "Invalid value: 'messages'."),
}


def _event(payload: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _event({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})


def frames(answer: Answers) -> Iterator[bytes]:
    """Return an answer in frames."""
    yield _chunk({"role": "assistant", "content": ""})
    said = "refusal" if answer.reason is Reason.REFUSED else "content"
    for piece in answer.pieces:
        yield _chunk({said: piece})
    for number, (name, arguments) in enumerate(answer.calls):
        begun = {"index": number, "id": f"call_{number}", "type": "function"}
        yield _chunk({"tool_calls": [{**begun, "function": {"name": name, "arguments": ""}}]})
        for part in (arguments[:5], arguments[5:]):
            yield _chunk({"tool_calls": [{"index": number, "function": {"arguments": part}}]})
    yield _chunk({}, _FINISHES.get(answer.reason, "tool_calls" if answer.calls else "stop"))
    came, went = answer.tokens
    usage = {"prompt_tokens": came, "completion_tokens": went, "total_tokens": came + went}
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    yield _event({**base, "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def refusal(why: Refusal) -> Failed:
    """Return an HTTP error."""
    status, code, message = _REFUSALS[why]
    return Failed(status, {"error": {"message": message, "type": "error", "param": None, "code": code}})
