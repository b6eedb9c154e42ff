"""An HTTP server that accepts every AWS request of a runner, and stores the bodies of PUT requests (objects in S3)."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class AwsStub(ThreadingHTTPServer):
    """The server. ``objects`` maps the paths of PUT requests to their bodies."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects: dict[str, bytes] = {}

    @property
    def url(self) -> str:
        """Return the address of the server."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: AwsStub

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

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("ETag", '"etag"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def aws_stub() -> Iterator[AwsStub]:
    """Run the server in a thread."""
    server = AwsStub()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
