import asyncio
import signal
import socket
import threading

import pytest
from starlette.responses import PlainTextResponse

from local.emulator.http_gateway import serve
from local.emulator.serve import listen

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
    asyncio.run(serve(PlainTextResponse("response"), listener, closing, ready))
    client.join(5)
    assert responses[0].startswith(b"HTTP/1.1 200 OK")
    assert closing.is_set()


def test_connection_before_ready_waits_instead_of_being_refused() -> None:
    listener = listen(0)
    with listener, socket.create_connection(listener.getsockname(), timeout=1) as early:
        early.sendall(REQUEST)


def test_second_server_on_a_port_fails_at_once() -> None:
    with listen(0) as first, pytest.raises(OSError, match="in use"):
        listen(first.getsockname()[1])
