"""A stand-in for S3 that takes in as fast as Python can: a slow store would hide what is spent before it.

It keeps nothing but the number of bytes, so that whoever measures can tell that all of them came. Checks no signature.
Run as a program it prints its port and serves until it is ended.
"""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedReader
from threading import Lock

PIECE = 1 << 18
BEGUN = b"<InitiateMultipartUploadResult><UploadId>upload</UploadId></InitiateMultipartUploadResult>"
COMPLETED = b"<CompleteMultipartUploadResult><ETag>etag</ETag></CompleteMultipartUploadResult>"


class ObjectStore(ThreadingHTTPServer):
    """Serves PutObject and multipart uploads of any bucket on a free port; GET answers the bytes since the last GET."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._count = 0
        self._lock = Lock()

    def add(self, size: int) -> None:
        """Note that so many bytes came in a body."""
        with self._lock:
            self._count += size

    def taken(self) -> int:
        """Return how many bytes came since the last time, and begin anew."""
        with self._lock:
            count, self._count = self._count, 0
            return count


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept, as S3 keeps them
    disable_nagle_algorithm = True
    server: ObjectStore
    rfile: BufferedReader

    def do_PUT(self) -> None:
        self.server.add(self._take_in())
        self._answer(b"")

    def do_POST(self) -> None:
        self._take_in()
        self._answer(BEGUN if self.path.endswith("?uploads") else COMPLETED)

    def do_GET(self) -> None:
        self._answer(str(self.server.taken()).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name is the base's)
        pass

    def _take_in(self) -> int:
        size = int(self.headers.get("Content-Length", 0))
        piece, left = memoryview(bytearray(min(size, PIECE))), size
        while left:
            left -= self.rfile.readinto(piece[:left])
        return size

    def _answer(self, body: bytes) -> None:
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
