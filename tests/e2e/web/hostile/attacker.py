"""The attacker's own server, to which hostile apps try to send something. It records every connection and request."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Attacker:
    """A listening server. ``received`` are the requests, connections and datagrams that reached it."""

    origin: str
    udp: str
    received: list[str] = field(default_factory=list)


@contextmanager
def listening_attacker() -> Iterator[Attacker]:
    """Listen for HTTP, and for datagrams, on free ports of this machine."""
    received: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            received.append(f"{self.command} {self.path}")
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        do_POST = do_PUT = do_HEAD = do_OPTIONS = do_GET  # noqa: N815  (the library's names)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    class Server(ThreadingHTTPServer):
        def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ANN401  (of the base class)
            received.append("connection")
            return super().verify_request(request, client_address)

    with Server(("127.0.0.1", 0), Handler) as server, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        datagrams.bind(("127.0.0.1", 0))

        def listen() -> None:
            while datagrams.recv(2048) != b"end":
                received.append("datagram")

        threads = [threading.Thread(target=server.serve_forever), threading.Thread(target=listen)]
        for thread in threads:
            thread.start()
        host, port = datagrams.getsockname()
        yield Attacker(f"http://127.0.0.1:{server.server_port}", f"{host}:{port}", received)
        server.shutdown()
        datagrams.sendto(b"end", (host, port))
        for thread in threads:
            thread.join()
