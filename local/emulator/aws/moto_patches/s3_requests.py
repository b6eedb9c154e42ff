"""Pass requests of this process to its own loopback server without a connection.

Patches ``URLLib3Session.send``. Clients of S3 use the loopback server also in this process, so that their presigned
URLs work. Without the patch, each of their requests opens a connection, starts a thread of the server, and is written
and parsed as HTTP messages, which doubles its processor time. Requests whose bodies are in files use a connection.
"""

import io
from collections.abc import Iterable, Iterator
from functools import cache
from http.client import HTTPMessage
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session
from moto.moto_server.werkzeug_app import MotoRequestHandler
from urllib3 import HTTPHeaderDict, HTTPResponse

from local.emulator.aws.moto_patches.patching import original, replace

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from werkzeug.serving import BaseWSGIServer

_send = original(URLLib3Session, "send")
_servers: "dict[str, BaseWSGIServer]" = {}


@cache
def install() -> None:
    """Patch botocore so that requests to the servers of ``add_server`` need no connection."""
    replace(URLLib3Session, "send", _send_directly)


def add_server(server: "BaseWSGIServer") -> None:
    """Answer requests to the address of this server in the thread that sends them."""
    _servers[f"127.0.0.1:{server.port}"] = server


def remove_server(server: "BaseWSGIServer") -> None:
    """Send requests to the address of this server over connections again."""
    del _servers[f"127.0.0.1:{server.port}"]


def _send_directly(self: URLLib3Session, request: AWSPreparedRequest) -> AWSResponse:
    server = _servers.get(urlsplit(request.url).netloc)
    # Reads the body only for an own server, because other servers get the request's stream from its position.
    body = _body(request) if server else None
    if server is None or body is None:
        response: AWSResponse = _send(self, request)
        return response
    environ = _Handler(server, request, body).make_environ()
    started: list[Any] = []
    pieces = server.app(environ, lambda *args: started.extend(args) or (lambda _: None))  # type: ignore[func-returns-value]
    status, headers = started[:2]
    raw = HTTPResponse(
        body=io.BufferedReader(_Pieces(pieces)),
        headers=HTTPHeaderDict(headers),
        status=int(status.split()[0]),
        preload_content=False,
        decode_content=False,
        request_method=request.method,
    )
    answer = AWSResponse(request.url, raw.status, raw.headers, raw)  # type: ignore[arg-type]  # as botocore does
    if not request.stream_output:
        _ = answer.content  # reads the whole body
    return answer


def _body(request: AWSPreparedRequest) -> bytes | None:
    """Return the body of a request, or None if it is not in memory."""
    match request.body:
        case None:
            return b""
        case bytes() | bytearray() as body:
            return bytes(body)
        case io.BytesIO() as stream:
            return stream.read()
        case _:
            return None


class _Handler(MotoRequestHandler):
    """Makes the variables that the server makes for a request that arrives over a connection."""

    def __init__(self, server: "BaseWSGIServer", request: AWSPreparedRequest, body: bytes) -> None:
        # The base class would read the request from its connection.
        parts = urlsplit(request.url)
        self.server, self.client_address, self.connection = server, ("127.0.0.1", 0), None
        self.rfile = io.BytesIO(body)
        self.path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        self.command, self.request_version = request.method, "HTTP/1.1"
        self.headers = HTTPMessage()
        for name, value in request.headers.items():
            self.headers[name] = value.decode("latin-1") if isinstance(value, bytes) else value
        for name, default in {"Host": parts.netloc, "Content-Length": str(len(body))}.items():
            if name not in self.headers:
                self.headers[name] = default


class _Pieces(io.RawIOBase):
    """The pieces of a response as a stream."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._response = pieces
        self._pieces: Iterator[bytes] = iter(pieces)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Copy the next bytes into the buffer and return their number: 0 at the end."""
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        target = memoryview(buffer).cast("B")
        size = min(len(target), len(self._rest))
        target[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    def close(self) -> None:
        """Tell the response that no more of it will be read."""
        if not self.closed and hasattr(self._response, "close"):
            self._response.close()
        super().close()
