"""The WebSocket gateway in front of the API, with a fake function, served by uvicorn."""

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

from local.emulator import websocket_gateway
from local.emulator.access_checks import HostAndOriginCheck
from local.emulator.aws.lambda_host import InvocationResult
from local.emulator.aws.moto_patches import websocket_connections
from local.emulator.websocket_gateway import WebSocketGateway

Event = Mapping[str, Any]


class Function:
    """Rejects the ticket «forged», responds to each message with its body, and fails for the message «break»."""

    def __init__(self) -> None:
        self.events: Queue[Event] = Queue()

    def __call__(self, event: Event) -> InvocationResult:
        self.events.put(event)
        if event.get("body") == "break":
            return InvocationResult('{"errorMessage": "broken"}', failed=True)
        if event.get("queryStringParameters") == {"ticket": "forged"}:
            return InvocationResult('{"statusCode": 403}', failed=False)
        body = {} if "body" not in event else {"body": f"echo {event['body']}"}
        return InvocationResult(json.dumps({"statusCode": 200, **body}), failed=False)

    def next(self) -> Event:
        return self.events.get(timeout=60)

    def next_route(self) -> tuple[str, str]:
        context = self.next()["requestContext"]
        return context["routeKey"], context["connectionId"]


@dataclass(frozen=True)
class Served:
    """A gateway that listens on a port."""

    port: int
    function: Function

    def connect(self, ticket: str = "good", host: str = "127.0.0.1", **options: Any) -> ClientConnection:  # noqa: ANN401  (the arguments of websockets)
        """Connect with any host name."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        client: ClientConnection = connect(
            f"ws://{host}:{self.port}/ws?ticket={ticket}", sock=connection, open_timeout=60, **options
        )
        return client


@contextmanager
def serving(function: Function) -> Iterator[Served]:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    app = HostAndOriginCheck(WebSocketGateway(PlainTextResponse("the API"), function), port)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=30))
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


def connection_of(connection_id: str) -> websocket_connections.Connection:
    connection: websocket_connections.Connection = vars(websocket_connections)["_connections"][connection_id]
    return connection


def test_connect_event_has_api_gateways_format(served: Served, client: ClientConnection) -> None:
    assert client
    event = served.function.next()
    assert event["requestContext"]["routeKey"] == "$connect"
    assert event["requestContext"]["connectionId"].endswith("=")
    assert event["queryStringParameters"] == {"ticket": "good"}
    assert event["headers"]["host"] == f"127.0.0.1:{served.port}"


def test_rejected_ticket_gets_403_and_no_connection(served: Served) -> None:
    with pytest.raises(InvalidStatus) as rejected:
        served.connect("forged").close()
    assert rejected.value.response.status_code == 403
    assert served.function.next_route()[0] == "$connect"
    assert served.function.events.empty()


@pytest.mark.parametrize("given", [{"host": "evil.example"}, {"origin": "http://evil.example"}])
def test_foreign_host_or_origin_gets_403_without_an_event(served: Served, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidStatus) as rejected:
        served.connect(**given).close()
    assert rejected.value.response.status_code == 403
    assert served.function.events.empty()


def test_own_page_can_connect(served: Served) -> None:
    with served.connect(origin=f"http://127.0.0.1:{served.port}"):
        assert served.function.next()["headers"]["origin"] == f"http://127.0.0.1:{served.port}"


def test_message_is_forwarded_and_the_response_is_sent_back(served: Served, client: ClientConnection) -> None:
    _, connection_id = served.function.next_route()
    client.send("grün")
    assert client.recv(60) == "echo grün"
    event = served.function.next()
    assert (event["body"], event["isBase64Encoded"]) == ("grün", False)
    assert event["requestContext"]["routeKey"] == "$default"
    assert event["requestContext"]["connectionId"] == connection_id


def test_binary_message_is_forwarded_as_base64(served: Served, client: ClientConnection) -> None:
    served.function.next()
    client.send(b"\x00\xff")
    client.recv(60)
    event = served.function.next()
    assert (base64.b64decode(event["body"]), event["isBase64Encoded"]) == (b"\x00\xff", True)


def test_failed_function_sends_a_generic_error_and_the_connection_stays_open(
    served: Served, client: ClientConnection
) -> None:
    _, connection_id = served.function.next_route()
    client.send("break")
    error = json.loads(client.recv(60))
    assert (error["message"], error["connectionId"]) == ("Internal server error", connection_id)
    client.send("on")
    assert client.recv(60) == "echo on"


def test_messages_from_another_thread_arrive_in_order(served: Served, client: ClientConnection) -> None:
    connection = connection_of(served.function.next_route()[1])
    posting = threading.Thread(target=lambda: [connection.send(f"{number}") for number in range(200)])
    posting.start()
    assert [client.recv(60) for _ in range(200)] == [f"{number}" for number in range(200)]
    posting.join()


def test_close_sends_queued_messages_first(served: Served, client: ClientConnection) -> None:
    connection = connection_of(served.function.next_route()[1])
    assert connection.send("last")
    connection.close()
    assert client.recv(60) == "last"
    with pytest.raises(ConnectionClosed):
        client.recv(60)
    assert served.function.next_route()[0] == "$disconnect"


def test_disconnect_event_is_sent_and_the_connection_is_removed(served: Served, client: ClientConnection) -> None:
    _, connection_id = served.function.next_route()
    client.close()
    assert served.function.next_route() == ("$disconnect", connection_id)
    with pytest.raises(KeyError):
        connection_of(connection_id)


def test_disconnect_event_is_sent_if_the_network_connection_breaks(served: Served, client: ClientConnection) -> None:
    _, connection_id = served.function.next_route()
    client.socket.shutdown(socket.SHUT_RDWR)
    assert served.function.next_route() == ("$disconnect", connection_id)


def test_slow_client_is_disconnected(served: Served, client: ClientConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket_gateway, "_MAX_QUEUED_MESSAGES", 0)
    connection = connection_of(served.function.next_route()[1])
    assert not connection.send("too much")
    with pytest.raises(ConnectionClosed):
        client.recv(60)


def test_server_stops_with_an_open_connection() -> None:
    function = Function()
    with ExitStack() as stack:
        with serving(function) as served:
            client = stack.enter_context(served.connect())
            function.next()
        assert function.next_route()[0] == "$disconnect"
        with pytest.raises(ConnectionClosed):
            client.recv(60)


def test_other_requests_are_forwarded_to_the_api(served: Served) -> None:
    assert httpx2.get(f"http://127.0.0.1:{served.port}/ws", timeout=60).text == "the API"
    assert served.function.events.empty()
