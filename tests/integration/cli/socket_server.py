"""The fake server behind a socket of this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2

from tests.unit.cli.fake_server import FakeServer


@contextmanager
def serve_on_socket(
    server: FakeServer, release: threading.Event | None = None, requested: threading.Event | None = None
) -> Iterator[str]:
    """Serve on a free port and yield the URL.

    With both events, a request for turn events sets ``requested`` and is answered only after ``release`` is set.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if requested and release and "/events" in self.path:
                requested.set()
                release.wait()
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            request = httpx2.Request(
                self.command, f"http://satchel.test{self.path}", headers=dict(self.headers), content=body
            )
            try:
                response = server(request)
            except httpx2.TransportError:
                return  # closes the connection without a response
            self.send_response(response.status_code)
            self.send_header("Content-Type", response.headers.get("Content-Type", "application/octet-stream"))
            self.send_header("Content-Length", str(len(response.content)))
            self.end_headers()
            self.wfile.write(response.content)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}"
        finally:
            if release:
                release.set()
            http.shutdown()
            thread.join()
