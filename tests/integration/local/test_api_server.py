import asyncio
import signal
import socket
import threading

import pytest
from starlette.responses import PlainTextResponse

from local.api_server import serve
from local.serve import listen

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def ask(port: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(REQUEST)
        return connection.recv(1000)


def test_who_comes_when_it_says_that_it_is_ready_is_answered() -> None:
    listener = listen(0)
    port, closing, answers = listener.getsockname()[1], threading.Event(), list[bytes]()

    def come() -> None:
        answers.append(ask(port))
        signal.raise_signal(signal.SIGTERM)

    def ready() -> None:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()  # at this very moment
        visitors.start()

    visitors = threading.Thread(target=come)
    asyncio.run(serve(PlainTextResponse("here"), listener, closing, ready))
    visitors.join(5)
    assert answers[0].startswith(b"HTTP/1.1 200 OK")
    assert closing.is_set()


def test_who_comes_before_it_is_ready_waits_instead_of_being_refused() -> None:
    listener = listen(0)
    with listener, socket.create_connection(listener.getsockname(), timeout=1) as early:
        early.sendall(REQUEST)


def test_a_port_is_taken_from_the_first_moment() -> None:
    with listen(0) as first, pytest.raises(OSError, match="in use"):
        listen(first.getsockname()[1])
