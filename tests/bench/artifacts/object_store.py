"""Fake S3 that receives as fast as Python can, because a slow store would hide the time spent before it.

It stores only the number of received bytes, for the check that no byte is missing, and checks no signatures. As a
program it prints its port and serves until it is stopped.
"""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedReader
from threading import Lock

CHUNK_SIZE = 1 << 18
UPLOAD_CREATED = b"<InitiateMultipartUploadResult><UploadId>upload</UploadId></InitiateMultipartUploadResult>"
UPLOAD_COMPLETED = b"<CompleteMultipartUploadResult><ETag>etag</ETag></CompleteMultipartUploadResult>"


class ObjectStore(ThreadingHTTPServer):
    """Serves PutObject and multipart uploads of any bucket. GET returns the number of bytes since the last GET."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._count = 0
        self._lock = Lock()

    def add(self, size: int) -> None:
        """Add the size of a received body."""
        with self._lock:
            self._count += size

    def take_count(self) -> int:
        """Return the number of received bytes and reset it."""
        with self._lock:
            count, self._count = self._count, 0
            return count


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # with persistent connections, as in S3
    disable_nagle_algorithm = True
    server: ObjectStore
    rfile: BufferedReader

    def do_PUT(self) -> None:
        self.server.add(self._receive())
        self._respond(b"")

    def do_POST(self) -> None:
        self._receive()
        self._respond(UPLOAD_CREATED if self.path.endswith("?uploads") else UPLOAD_COMPLETED)

    def do_GET(self) -> None:
        self._respond(str(self.server.take_count()).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name in the base class)
        pass

    def _receive(self) -> int:
        size = int(self.headers.get("Content-Length", 0))
        chunk, left = memoryview(bytearray(min(size, CHUNK_SIZE))), size
        while left:
            left -= self.rfile.readinto(chunk[:left])
        return size

    def _respond(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("ETag", '"etag"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    store = ObjectStore()
    sys.stdout.write(f"{store.server_port}\n")
    sys.stdout.flush()
    store.serve_forever()
