"""An HTTP server that accepts every AWS request of a runner, and stores the bodies of PUT requests (objects in S3).

GET requests return them.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class AwsStub(ThreadingHTTPServer):
    """The server. ``objects`` maps the paths of objects to their contents."""

    daemon_threads = True

    def __init__(self, listener: socket.socket | None = None) -> None:
        """Listen on a free port of this machine, or take connections from ``listener``."""
        super().__init__(("127.0.0.1", 0), _Handler, bind_and_activate=listener is None)
        if listener is not None:
            self.socket.close()
            self.socket = listener
        self.objects: dict[str, bytes] = {}

    @property
    def url(self) -> str:
        """Return the address of the server."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: AwsStub

    def do_GET(self) -> None:
        body = self.server.objects.get(urlsplit(self.path).path)
        self._answer(body or b"", 404 if body is None else 200)

    def do_PUT(self) -> None:
        self.server.objects[urlsplit(self.path).path] = self._body()
        self._answer(b"")

    def do_POST(self) -> None:
        self._body()
        self._answer(b"{}")

    def log_message(self, *_arguments: object) -> None:
        """Log nothing."""

    def _body(self) -> bytes:
        if self.headers.get("Expect") == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _answer(self, body: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("ETag", '"etag"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def aws_stub(listener: socket.socket | None = None) -> Iterator[AwsStub]:
    """Run the server in a thread."""
    server = AwsStub(listener)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
