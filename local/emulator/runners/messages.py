"""Messages between the parent process, its environments and the fork server. Each message is one JSON object.

The parent process and an environment exchange messages as lines over pipes. The first line for an environment contains
its environment variables. The fork server receives one packet for
each fork over a Unix socket.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Literal, TypedDict

FORK_DESCRIPTORS = 3
"""The number of file descriptors that accompany a ``ForkRequest``: standard input, output and error."""

MAX_FORK_REQUEST_BYTES = 1 << 17


class Invocation(TypedDict):
    """Message from the parent process to an environment: run the handler, which times out in ``remaining`` seconds."""

    id: str
    arn: str
    tenant: str
    remaining: float
    asynchronous: bool
    event: object


class Response(TypedDict):
    """Message from an environment to the parent process: the result of the invocation ``id``.

    ``kind`` is ``result``, ``error`` or ``import_error``. For both kinds of errors, the payload is Lambda's error
    object. An ``import_error`` means that the handler could not be imported, so every invocation of the environment
    fails. Its ``id`` is empty.
    """

    id: str
    kind: Literal["result", "error", "import_error"]
    payload: object


class ForkRequest(TypedDict):
    """Message from the parent process to the fork server: start an environment. The reply is the new pid as text.

    ``target`` names the handler as ``module:attribute``. ``function`` is the name of the new process. The process reads
    its environment variables from its standard input: they contain secrets, which the fork server must not know.
    """

    target: str
    function: str


def encode_line(message: Invocation | Response | Mapping[str, str]) -> bytes:
    """Return the message as a line of JSON. Raise TypeError or ValueError if the message cannot be written as JSON."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


class LineBuffer:
    """Splits a byte stream into lines. Scans each byte only once, even if a line arrives in many chunks."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Add a chunk of bytes, and yield each line that is now complete, without its newline."""
        scanned = len(self._bytes)
        self._bytes += chunk
        while (end := self._bytes.find(b"\n", scanned)) >= 0:
            line = bytes(self._bytes[:end])
            del self._bytes[: end + 1]
            scanned = 0
            yield line
