"""What parent and child say to each other: one JSON object a line."""

import json
from collections.abc import Iterator
from typing import Literal, TypedDict


class Invocation(TypedDict):
    """Parent to child: run the handler. ``remaining`` is in seconds."""

    id: str
    arn: str
    tenant: str
    remaining: float
    asynchronous: bool
    event: object


class Answer(TypedDict):
    """Child to parent: what came of the invocation ``id``.

    ``kind`` is ``result``, ``error`` (the payload is Lambda's error object), or ``broken``: the handler could not be
    imported, which concerns every invocation of this child and leaves ``id`` empty.
    """

    id: str
    kind: Literal["result", "error", "broken"]
    payload: object


def encode(message: Invocation | Answer) -> bytes:
    """Return the message as a line. Raises TypeError or ValueError where it is not JSON."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


class LineBuffer:
    """Cuts a stream of bytes into lines; each byte is looked at once, however long a line grows."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Take in what was read, and yield the lines that are whole now, without their ends."""
        seen = len(self._bytes)
        self._bytes += chunk
        while (end := self._bytes.find(b"\n", seen)) >= 0:
            line = bytes(self._bytes[:end])
            del self._bytes[: end + 1]
            seen = 0
            yield line
