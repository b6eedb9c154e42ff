"""Bedrock's ConverseStream: messages of ``vnd.amazon.eventstream``, each with two checksums."""

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

from tests.endpoints.acts import Answers, Failed, Reason, Refusal

content_type = "application/vnd.amazon.eventstream"
_STOPS = {Reason.LENGTH: "max_tokens", Reason.FILTERED: "content_filtered", Reason.REFUSED: "refusal"}
_REFUSALS = {
    Refusal.THROTTLED: (429, "ThrottlingException", "Too many requests, please wait before trying again."),
    Refusal.FAILING: (500, "InternalServerException", "The system encountered an unexpected error."),
    Refusal.OVERLOADED: (503, "ServiceUnavailableException", "The model is overloaded."),
    Refusal.QUOTA: (400, "ServiceQuotaExceededException", "Your request exceeds the service quota."),
    Refusal.TOO_LONG: (400, "ValidationException", "Input is too long for requested model."),
    Refusal.NO_KEY: (403, "UnrecognizedClientException", "The security token included in the request is invalid."),
    Refusal.NO_MODEL: (400, "ValidationException", "The provided model identifier is invalid."),
    Refusal.REJECTED: (400, "ValidationException", "The value at messages.0 is malformed."),
}


def _message(event: str, payload: dict[str, Any]) -> bytes:
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in ((":event-type", event), (":content-type", "application/json"), (":message-type", "event"))
    )
    body = json.dumps(payload).encode()
    prelude = struct.pack(">II", len(headers) + len(body) + 16, len(headers))
    whole = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + body
    return whole + struct.pack(">I", zlib.crc32(whole))


garbage = b"\x00\x00\x00\x99" + bytes(200)


def frames(answer: Answers) -> Iterator[bytes]:
    """Return an answer in frames."""
    yield _message("messageStart", {"role": "assistant"})
    index = 0
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
    came, went = answer.tokens
    usage = {"inputTokens": came, "outputTokens": went, "totalTokens": came + went}
    yield _message("metadata", {"usage": usage, "metrics": {"latencyMs": 5}})


def refusal(why: Refusal) -> Failed:
    """Return an HTTP error."""
    status, code, message = _REFUSALS[why]
    return Failed(status, {"message": message}, {"x-amzn-errortype": code})
