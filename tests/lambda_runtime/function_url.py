"""A function URL with streamed responses: an HTTP server whose requests are events for the function's processes."""

import base64
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from tests.lambda_runtime.environment import Environment
from tests.lambda_runtime.runtime_api import FunctionError, Invocation, invocation

_END_OF_HEAD = bytes(8)


class FunctionUrl(ThreadingHTTPServer):
    """Context manager of the server and the processes. A process answers one request at a time, as on Lambda.

    As on Lambda, a process learns nothing of a client that hangs up. ``invocations`` has all requests so far.
    """

    daemon_threads = True

    def __init__(self, start: Callable[[], Environment], *, seconds: float) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.environments: list[Environment] = []
        self.invocations: list[Invocation] = []
        self._start, self._seconds = start, seconds
        self._idle: list[Environment] = []
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()
        for environment in self.environments:
            environment.close()

    def invoke(self, event: object) -> Iterator[bytes]:
        """Yield the pieces of the response to an event. Raise FunctionError if the function fails."""
        request = invocation(event, arn="arn:aws:lambda:us-east-1:123456789012:function:bridge", seconds=self._seconds)
        with self._lock:
            self.invocations.append(request)
            if not self._idle:
                self.environments.append(self._start())
                self._idle.append(self.environments[-1])
            environment = self._idle.pop()
        try:
            yield from environment.stream(request)
        finally:
            with self._lock:
                self._idle.append(environment)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FunctionUrl

    def _handle(self) -> None:
        """Send the response piece by piece. If the client hangs up, let the function go on to its end."""
        pieces = self.server.invoke(self._event())
        head = b""
        try:
            while _END_OF_HEAD not in head:
                head += next(pieces)
        except FunctionError:
            self.send_error(502)
            return
        prelude, _, rest = head.partition(_END_OF_HEAD)
        try:
            self._send_head(json.loads(prelude))
            self._send_piece(rest)
            for piece in pieces:
                self._send_piece(piece)
            self.wfile.write(b"0\r\n\r\n")
        except FunctionError:
            self.close_connection = True  # without the last chunk, so the client sees that the response is not whole
        except OSError:
            self.close_connection = True
            for _ in pieces:
                pass

    do_GET = do_POST = do_OPTIONS = _handle  # noqa: N815  (names of http.server)

    def _event(self) -> object:
        """Return the request as an event of payload format 2.0."""
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        return {
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": path,
            "rawQueryString": query,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "requestContext": {"http": {"method": self.command, "path": path, "sourceIp": "127.0.0.1"}},
            "body": base64.b64encode(body).decode(),
            "isBase64Encoded": True,
        }

    def _send_head(self, prelude: dict[str, object]) -> None:
        self.send_response(int(str(prelude["statusCode"])))
        headers = prelude["headers"]
        assert isinstance(headers, dict)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _send_piece(self, piece: bytes) -> None:
        if piece:
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")

    def log_message(self, *_arguments: object) -> None:
        """Log nothing."""
