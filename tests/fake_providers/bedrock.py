"""Streaming format of Bedrock's ConverseStream: ``vnd.amazon.eventstream`` messages with two checksums each."""

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

from tests.fake_providers.replies import SIGNATURE, Answer, ErrorKind, FinishReason, HttpError

content_type = "application/vnd.amazon.eventstream"
_STOPS = {FinishReason.LENGTH: "max_tokens", FinishReason.FILTERED: "content_filtered", FinishReason.REFUSED: "refusal"}
_ERRORS = {
    ErrorKind.THROTTLED: (429, "ThrottlingException", "Too many requests, please wait before trying again."),
    ErrorKind.FAILING: (500, "InternalServerException", "The system encountered an unexpected error."),
    ErrorKind.OVERLOADED: (503, "ServiceUnavailableException", "The model is overloaded."),
    ErrorKind.QUOTA: (400, "ServiceQuotaExceededException", "Your request exceeds the service quota."),
    ErrorKind.TOO_LONG: (400, "ValidationException", "Input is too long for requested model."),
    ErrorKind.NO_KEY: (403, "UnrecognizedClientException", "The security token included in the request is invalid."),
    ErrorKind.NO_MODEL: (400, "ValidationException", "The provided model identifier is invalid."),
    ErrorKind.REJECTED: (400, "ValidationException", "The value at messages.0 is malformed."),
}


def _message(event: str, payload: dict[str, Any]) -> bytes:
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in ((":event-type", event), (":content-type", "application/json"), (":message-type", "event"))
    )
    body = json.dumps(payload).encode()
    prelude = struct.pack(">II", len(headers) + len(body) + 16, len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + body
    return message + struct.pack(">I", zlib.crc32(message))


garbage = b"\x00\x00\x00\x99" + bytes(200)


def frames(answer: Answer) -> Iterator[bytes]:
    """Yield the frames of an answer."""
    yield _message("messageStart", {"role": "assistant"})
    index = 0
    for thought in answer.thoughts:
        delta = {"reasoningContent": {"text": thought}}
        yield _message("contentBlockDelta", {"contentBlockIndex": 0, "delta": delta})
    if answer.thoughts:
        signed = {"reasoningContent": {"signature": SIGNATURE}}
        yield _message("contentBlockDelta", {"contentBlockIndex": 0, "delta": signed})
        yield _message("contentBlockStop", {"contentBlockIndex": 0})
        index = 1
    for piece in answer.pieces:
        yield _message("contentBlockDelta", {"contentBlockIndex": index, "delta": {"text": piece}})
    if answer.pieces:
        yield _message("contentBlockStop", {"contentBlockIndex": index})
        index += 1
    for number, (name, arguments) in enumerate(answer.calls):
        start = {"toolUse": {"toolUseId": f"tooluse_{number}", "name": name}}
        yield _message("contentBlockStart", {"contentBlockIndex": index, "start": start})
        for part in (arguments[:5], arguments[5:]):
            delta = {"toolUse": {"input": part}}
            yield _message("contentBlockDelta", {"contentBlockIndex": index, "delta": delta})
        yield _message("contentBlockStop", {"contentBlockIndex": index})
        index += 1
    stop = _STOPS.get(answer.reason, "tool_use" if answer.calls else "end_turn")
    yield _message("messageStop", {"stopReason": stop})
    input_tokens, output_tokens = answer.tokens
    cache_read, cache_written = answer.cache_tokens
    usage = {
        "inputTokens": input_tokens - cache_read - cache_written,
        "outputTokens": output_tokens,
        "totalTokens": input_tokens + output_tokens,
        "cacheReadInputTokens": cache_read,
        "cacheWriteInputTokens": cache_written,
    }
    yield _message("metadata", {"usage": usage, "metrics": {"latencyMs": 5}})


def http_error(kind: ErrorKind) -> HttpError:
    """Return the HTTP error of this kind."""
    status, code, message = _ERRORS[kind]
    return HttpError(status, {"message": message}, {"x-amzn-errortype": code})
