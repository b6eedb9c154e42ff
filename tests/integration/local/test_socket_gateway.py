"""The gateway before the API, with a function that a test plays, behind the server that serves it."""

import base64
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from queue import Queue
from typing import Any

import httpx2
import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from local import socket_gateway
from local.aws.functions import Outcome
from local.aws.seams import connections
from local.gateway import OwnHostOnly
from local.socket_gateway import SocketGateway

Event = Mapping[str, Any]


class Function:
    """Lets everybody in but «forged», answers each message with its body, and fails at «break»."""

    def __init__(self) -> None:
        self.events: Queue[Event] = Queue()

    def __call__(self, event: Event) -> Outcome:
        self.events.put(event)
        if event.get("body") == "break":
            return Outcome('{"errorMessage": "broken"}', failed=True)
        if event.get("queryStringParameters") == {"ticket": "forged"}:
            return Outcome('{"statusCode": 403}', failed=False)
        body = {} if "body" not in event else {"body": f"heard {event['body']}"}
        return Outcome(json.dumps({"statusCode": 200, **body}), failed=False)

    def next(self) -> Event:
        return self.events.get(timeout=5)

    def next_route(self) -> tuple[str, str]:
        context = self.next()["requestContext"]
        return context["routeKey"], context["connectionId"]


@dataclass(frozen=True)
class Served:
    """The gateway on a port."""

    port: int
    function: Function

    def connect(self, ticket: str = "good", host: str = "127.0.0.1", **given: Any) -> ClientConnection:  # noqa: ANN401  (what websockets takes)
        """Connect to it by any name."""
        way = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        client: ClientConnection = connect(
            f"ws://{host}:{self.port}/ws?ticket={ticket}", sock=way, open_timeout=5, **given
        )
        return client


@contextmanager
def serving(function: Function) -> Iterator[Served]:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    app = OwnHostOnly(SocketGateway(PlainTextResponse("the API"), function), port)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=2))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield Served(port, function)
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture
def served() -> Iterator[Served]:
    with serving(Function()) as served:
        yield served


@pytest.fixture
def client(served: Served) -> Iterator[ClientConnection]:
    with served.connect() as client:
        yield client


def line_of(connection_id: str) -> connections.Line:
    line: connections.Line = vars(connections)["_lines"][connection_id]
    return line


def test_who_connects_is_announced_as_api_gateway_does(served: Served, client: ClientConnection) -> None:
    assert client
    event = served.function.next()
    assert event["requestContext"]["routeKey"] == "$connect"
    assert event["requestContext"]["connectionId"].endswith("=")
    assert event["queryStringParameters"] == {"ticket": "good"}
    assert event["headers"]["host"] == f"127.0.0.1:{served.port}"


def test_who_is_refused_never_gets_a_connection(served: Served) -> None:
    with pytest.raises(InvalidStatus) as refused:
        served.connect("forged").close()
    assert refused.value.response.status_code == 403
    assert served.function.next_route()[0] == "$connect"
    assert served.function.events.empty()


@pytest.mark.parametrize("given", [{"host": "evil.example"}, {"origin": "http://evil.example"}])
def test_who_does_not_mean_this_server_is_not_even_announced(served: Served, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidStatus) as refused:
        served.connect(**given).close()
    assert refused.value.response.status_code == 403
    assert served.function.events.empty()


def test_a_page_of_its_own_gets_in(served: Served) -> None:
    with served.connect(origin=f"http://127.0.0.1:{served.port}"):
        assert served.function.next()["headers"]["origin"] == f"http://127.0.0.1:{served.port}"


def test_a_message_is_passed_on_and_its_answer_comes_back(served: Served, client: ClientConnection) -> None:
    _, connection_id = served.function.next_route()
    client.send("grün")
    assert client.recv(5) == "heard grün"
    event = served.function.next()
    assert (event["body"], event["isBase64Encoded"]) == ("grün", False)
    assert event["requestContext"]["routeKey"] == "$default"
    assert event["requestContext"]["connectionId"] == connection_id


def test_bytes_are_passed_on_as_base64(served: Served, client: ClientConnection) -> None:
    served.function.next()
    client.send(b"\x00\xff")
    client.recv(5)
    event = served.function.next()
    assert (base64.b64decode(event["body"]), event["isBase64Encoded"]) == (b"\x00\xff", True)


def test_a_function_that_breaks_says_no_more_than_that_and_the_connection_goes_on(
    served: Served, client: ClientConnection
) -> None:
    _, connection_id = served.function.next_route()
    client.send("break")
    said = json.loads(client.recv(5))
    assert (said["message"], said["connectionId"]) == ("Internal server error", connection_id)
    client.send("on")
    assert client.recv(5) == "heard on"


def test_what_is_posted_from_another_thread_arrives_in_order(served: Served, client: ClientConnection) -> None:
    line = line_of(served.function.next_route()[1])
    posting = threading.Thread(target=lambda: [line.send(f"{number}") for number in range(200)])
    posting.start()
    assert [client.recv(5) for _ in range(200)] == [f"{number}" for number in range(200)]
    posting.join()


def test_a_connection_can_be_ended_behind_what_was_sent(served: Served, client: ClientConnection) -> None:
    line = line_of(served.function.next_route()[1])
    assert line.send("last")
    line.close()
    assert client.recv(5) == "last"
    with pytest.raises(ConnectionClosed):
        client.recv(5)
    assert served.function.next_route()[0] == "$disconnect"


def test_the_end_is_announced_and_nobody_is_found_there_any_more(served: Served, client: ClientConnection) -> None:
    _, connection_id = served.function.next_route()
    client.close()
    assert served.function.next_route() == ("$disconnect", connection_id)
    with pytest.raises(KeyError):
        line_of(connection_id)


def test_so_it_is_when_the_wire_is_cut(served: Served, client: ClientConnection) -> None:
    _, connection_id = served.function.next_route()
    client.socket.shutdown(socket.SHUT_RDWR)
    assert served.function.next_route() == ("$disconnect", connection_id)


def test_who_takes_messages_too_slowly_is_cut_off(
    served: Served, client: ClientConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_gateway, "_MOST_WAITING", 0)
    line = line_of(served.function.next_route()[1])
    assert not line.send("too much")
    with pytest.raises(ConnectionClosed):
        client.recv(5)


def test_the_server_stops_though_somebody_is_connected() -> None:
    function = Function()
    with ExitStack() as stack:
        with serving(function) as served:
            client = stack.enter_context(served.connect())
            function.next()
        assert function.next_route()[0] == "$disconnect"
        with pytest.raises(ConnectionClosed):
            client.recv(5)


def test_all_else_is_the_apis(served: Served) -> None:
    assert httpx2.get(f"http://127.0.0.1:{served.port}/ws").text == "the API"
    assert served.function.events.empty()
