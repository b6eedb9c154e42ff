"""Messages between the parent process, its environments and the fork server, each one JSON object.

Parent and environment exchange lines over pipes; the fork server gets one packet for each fork.
"""

import json
from collections.abc import Iterator
from typing import Literal, TypedDict

FORK_DESCRIPTORS = 3
"""File descriptors that accompany a ``ForkRequest``: standard input, output and error."""

MAX_FORK_REQUEST_BYTES = 1 << 17


class Invocation(TypedDict):
    """Parent to environment: run the handler. ``remaining`` is in seconds."""

    id: str
    arn: str
    tenant: str
    remaining: float
    asynchronous: bool
    event: object


class Response(TypedDict):
    """Environment to parent: the result of the invocation ``id``.

    ``kind`` is ``result``, ``error`` (the payload is Lambda's error object), or ``import_error``: the handler could not
    be imported. An ``import_error`` applies to every invocation of this environment, and its ``id`` is empty.
    """

    id: str
    kind: Literal["result", "error", "import_error"]
    payload: object


class ForkRequest(TypedDict):
    """Parent to fork server: start an environment. The response is its pid as text.

    ``target`` is the handler as ``module:attribute``, ``function`` the name of its process, and ``environ`` its whole
    set of environment variables.
    """

    target: str
    function: str
    environ: dict[str, str]


def encode_line(message: Invocation | Response) -> bytes:
    """Return the message as a line. Raises TypeError or ValueError if it cannot be written as JSON."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


class LineBuffer:
    """Splits a byte stream into lines and scans each byte once, however long a line grows."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Add a chunk and yield the lines that are complete now, without their line ends."""
        scanned = len(self._bytes)
        self._bytes += chunk
        while (end := self._bytes.find(b"\n", scanned)) >= 0:
            line = bytes(self._bytes[:end])
            del self._bytes[: end + 1]
            scanned = 0
            yield line
