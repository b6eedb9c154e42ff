"""Messages between the parent process, its environments and the fork server. Each message is one JSON object.

Parent and environment exchange messages as lines over pipes; the fork server receives one packet for each fork.
"""

import json
from collections.abc import Iterator
from typing import Literal, TypedDict

FORK_DESCRIPTORS = 3
"""File descriptors that accompany a ``ForkRequest``: standard input, output and error."""

MAX_FORK_REQUEST_BYTES = 1 << 17


class Invocation(TypedDict):
    """Message from parent to environment: run the handler, with ``remaining`` seconds until the timeout."""

    id: str
    arn: str
    tenant: str
    remaining: float
    asynchronous: bool
    event: object


class Response(TypedDict):
    """Message from environment to parent: the result of the invocation ``id``.

    ``kind`` is ``result``, ``error`` (the payload is Lambda's error object), or ``import_error``: the handler could not
    be imported. An ``import_error`` applies to every invocation of this environment, and its ``id`` is empty.
    """

    id: str
    kind: Literal["result", "error", "import_error"]
    payload: object


class ForkRequest(TypedDict):
    """Message from parent to fork server: start an environment. The response is the environment's pid as text.

    ``target`` is the handler as ``module:attribute``, ``function`` the name of its process, and ``environ`` all of
    its environment variables.
    """

    target: str
    function: str
    environ: dict[str, str]


def encode_line(message: Invocation | Response) -> bytes:
    """Return the message as a line. Raise TypeError or ValueError if it cannot be written as JSON."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


class LineBuffer:
    """Splits a byte stream into lines. Scans each byte only once, even if a line arrives in many chunks."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Add a chunk and yield the lines that are complete now, without their newlines."""
        scanned = len(self._bytes)
        self._bytes += chunk
        while (end := self._bytes.find(b"\n", scanned)) >= 0:
            line = bytes(self._bytes[:end])
            del self._bytes[: end + 1]
            scanned = 0
            yield line
