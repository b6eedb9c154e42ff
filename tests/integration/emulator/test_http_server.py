import asyncio
import json
import signal
import socket
import threading

import pytest
from fastapi import FastAPI
from starlette.responses import PlainTextResponse

from local.emulator.access_checks import HostAndOriginCheck
from local.emulator.aws.lambda_host import InvocationResult
from local.emulator.http_gateway import WebClient, serve
from local.emulator.serve import listen
from local.emulator.websocket_gateway import PATH, WebSocketGateway

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def request(port: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(REQUEST)
        return connection.recv(1000)


def test_requests_are_served_once_ready_is_called() -> None:
    listener = listen(0)
    port, closing, responses = listener.getsockname()[1], threading.Event(), list[bytes]()

    def send_request() -> None:
        responses.append(request(port))
        signal.raise_signal(signal.SIGTERM)

    def ready() -> None:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()  # the server must accept connections now
        client.start()

    client = threading.Thread(target=send_request)
    asyncio.run(serve(PlainTextResponse("response"), listener, closing.set, ready))
    client.join(5)
    assert responses[0].startswith(b"HTTP/1.1 200 OK")
    assert closing.is_set()


WEBSOCKET_REQUEST = (
    "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
)


def open_websocket(port: int, path: str, host: str, headers: str) -> bytes:
    """Send the handshake of a WebSocket. Return the first part of the response."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        text = WEBSOCKET_REQUEST.format(path=path, host=host.format(port=port), headers=headers.format(port=port))
        connection.sendall(text.encode())
        return connection.recv(1000)


@pytest.mark.parametrize(
    ("path", "host", "headers"),
    [
        (PATH, "evil.example", ""),
        (PATH, "127.0.0.1:{port}", "Origin: https://evil.example\r\n"),
        (PATH, "127.0.0.1:{port}", "Origin: http://127.0.0.1:{port}\r\n"),  # accepted here, refused by the function
        ("/nowhere", "127.0.0.1:{port}", ""),
    ],
)
def test_refused_websocket_gets_403_without_an_error_in_the_output(
    capfd: pytest.CaptureFixture[str], path: str, host: str, headers: str
) -> None:
    listener = listen(0)
    port, closing, responses = listener.getsockname()[1], threading.Event(), list[bytes]()

    def send_handshake() -> None:
        responses.append(open_websocket(port, path, host, headers))
        signal.raise_signal(signal.SIGTERM)

    client = threading.Thread(target=send_handshake)
    refusal = InvocationResult(json.dumps({"statusCode": 403}), failed=False)
    sockets = WebSocketGateway(WebClient(FastAPI(), {}), lambda _: refusal)
    asyncio.run(serve(HostAndOriginCheck(sockets, port), listener, closing.set, client.start))
    client.join(5)

    assert responses[0].startswith(b"HTTP/1.1 403 ")
    output = capfd.readouterr()
    assert (output.out, output.err) == ("", "")


def test_connection_before_ready_waits_instead_of_being_refused() -> None:
    listener = listen(0)
    with listener, socket.create_connection(listener.getsockname(), timeout=1) as early:
        early.sendall(REQUEST)


def test_second_server_on_a_port_fails_at_once() -> None:
    with listen(0) as first, pytest.raises(OSError, match="in use"):
        listen(first.getsockname()[1])
