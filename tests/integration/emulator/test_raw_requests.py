"""Requests as bytes on a socket, because HTTP clients and browsers cannot send all of them."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from local.emulator.access_checks import HostAndOriginCheck, KeyCheck
from local.emulator.http_gateway import WebClient, server_config
from local.emulator.serve import listen

KEY = "the-key-of-this-start"
OWN = "127.0.0.1:{port}"
HOSTS: dict[str, int] = {
    OWN: 200,
    "localhost:{port}": 200,
    "LOCALHOST:{port}": 200,
    "[::1]:{port}": 200,
    "evil.example": 403,
    "evil.example:{port}": 403,
    "127.0.0.1": 403,
    "127.0.0.1:9": 403,
    "127.0.0.1:99999": 403,
    "127.0.0.1.evil.example:{port}": 403,
    "localhost.evil.example:{port}": 403,
    "127.0.0.1:{port}@evil.example": 403,
    "evil.example@127.0.0.1:9": 403,
    "0.0.0.0:{port}": 403,
    "127.1:{port}": 403,
    "2130706433:{port}": 403,
    "[::ffff:127.0.0.1]:{port}": 403,
    "[::1": 403,
    "": 403,
    "localhost.:{port}": 403,
    "127.0.0.1:{port}, evil.example": 403,
    "127.0.0.1:{port}\r\nHost: evil.example": 400,
    "127.0.0.1:{port}\0": 400,
}
"""The status of the response to each ``Host`` header."""

ORIGINS: dict[str, int] = {
    "http://127.0.0.1:{port}": 200,
    "http://localhost:{port}": 200,
    "null": 403,
    "": 403,
    "https://evil.example": 403,
    "https://127.0.0.1:{port}": 403,
    "http://127.0.0.1:9": 403,
    "http://127.0.0.1": 403,
    "http://127.0.0.1:{port}.evil.example": 403,
    "http://127.0.0.1:{port}@evil.example": 403,
    "file://": 403,
    "http://127.0.0.1:{port}\r\nOrigin: https://evil.example": 403,
    "http://127.0.0.1:{port} https://evil.example": 403,
}
"""The status of the response to each ``Origin`` header, with the right host."""

HALF_OPEN = 150
TIMEOUT_SECONDS = 30


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server with the checks and the configuration of ``satchel serve``."""
    listener = listen(0)
    port: int = listener.getsockname()[1]
    app = HostAndOriginCheck(WebClient(KeyCheck(PlainTextResponse("the API"), KEY), {}), port)
    server = uvicorn.Server(server_config(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield port
    server.should_exit = True
    thread.join()


def connect(port: int) -> socket.socket:
    """Connect. The backlog of the socket holds the connection until the server starts."""
    return socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS)


def status(port: int, request: bytes) -> int:
    """Send bytes, and return the status of the response."""
    with connect(port) as connection:
        connection.sendall(request)
        match = re.match(rb"HTTP/1\.1 (\d+) ", connection.recv(1000))
        assert match
        return int(match[1])


def get(port: int, *headers: str, path: str = "/api/me", version: str = "1.1") -> int:
    lines = [f"GET {path} HTTP/{version}", f"Authorization: Bearer {KEY}", *headers, "Connection: close", "", ""]
    return status(port, "\r\n".join(lines).format(port=port).encode("latin-1"))


def test_every_host_header_but_the_own_ones_is_refused(port: int) -> None:
    assert {host: get(port, f"Host: {host}") for host in HOSTS} == HOSTS


def test_every_origin_header_but_the_own_ones_is_refused(port: int) -> None:
    statuses = {origin: get(port, f"Host: {OWN}", f"Origin: {origin}") for origin in ORIGINS}

    assert statuses == ORIGINS


def test_request_without_a_host_header_is_refused(port: int) -> None:
    assert get(port) == 400  # HTTP/1.1 requires it
    assert get(port, version="1.0") == 403


@pytest.mark.parametrize("target", ["http://evil.example/api/me", "//evil.example/api/me", "/api/../api/me", "*"])
def test_address_in_the_request_line_replaces_no_check(port: int, target: str) -> None:
    assert get(port, "Host: evil.example", path=target) == 403


def test_request_of_another_page_is_refused_without_an_origin_header(port: int) -> None:
    assert get(port, f"Host: {OWN}", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors") == 403
    assert get(port, f"Host: {OWN}", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors") == 200


def test_request_with_two_lengths_or_two_encodings_is_refused(port: int) -> None:
    """A gateway and a server that disagree on the length take a part of one request for another request."""
    head = f"POST /api/me HTTP/1.1\r\nHost: {OWN}\r\nAuthorization: Bearer {KEY}\r\n".format(port=port)
    bodies = ["Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde", "Content-Length: -1\r\n\r\n"]
    bodies += ["Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"]

    assert {status(port, f"{head}{body}".encode()) for body in bodies} <= {400, 501}


def test_half_open_requests_do_not_delay_others(port: int) -> None:
    """No time limit ends a request whose headers never end (docs/security.md)."""
    with ExitStack() as stack:
        for _ in range(HALF_OPEN):
            connection = stack.enter_context(connect(port))
            connection.sendall(b"GET /api/me HTTP/1.1\r\nHost: x\r\nX-Slow: ")

        assert get(port, f"Host: {OWN}") == 200


def test_headers_are_limited_to_64_kib(port: int) -> None:
    """The limit bounds the memory that a half-open request takes."""
    with connect(port) as connection:
        connection.sendall(b"GET /api/me HTTP/1.1\r\nX-Large: " + b"x" * (128 << 10))

        assert connection.recv(1000).startswith(b"HTTP/1.1 400 ")
