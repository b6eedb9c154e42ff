"""The gateway before the API, with a function that a test plays."""

import base64
import json
import threading
from collections.abc import Iterator, Mapping
from queue import Queue
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from local import socket_gateway
from local.aws.functions import Outcome
from local.aws.seams import connections
from local.gateway import OwnHostOnly
from local.socket_gateway import SocketGateway

PORT = 8000
HERE = {"Host": f"127.0.0.1:{PORT}"}
Event = Mapping[str, Any]


class Function:
    """Lets everybody in but «forged», answers each message with its route and body, and fails at «break»."""

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


@pytest.fixture
def function() -> Function:
    return Function()


@pytest.fixture
def http(function: Function) -> TestClient:
    gateway = SocketGateway(PlainTextResponse("the API"), function)
    return TestClient(OwnHostOnly(gateway, PORT), base_url=f"http://127.0.0.1:{PORT}", headers=HERE)


@pytest.fixture
def socket(http: TestClient) -> Iterator[WebSocketTestSession]:
    with http.websocket_connect("/ws?ticket=good", headers=HERE) as socket:
        yield socket


def line_of(connection_id: str) -> connections.Line:
    return vars(connections)["_lines"][connection_id]  # type: ignore[no-any-return]  # vars() knows no types


def test_who_connects_is_announced_as_api_gateway_does(function: Function, socket: WebSocketTestSession) -> None:
    assert socket
    event = function.next()
    assert event["requestContext"]["routeKey"] == "$connect"
    assert event["requestContext"]["connectionId"].endswith("=")
    assert event["queryStringParameters"] == {"ticket": "good"}
    assert event["headers"]["host"] == HERE["Host"]


def test_who_is_refused_never_gets_a_connection(http: TestClient, function: Function) -> None:
    with pytest.raises(WebSocketDisconnect), http.websocket_connect("/ws?ticket=forged", headers=HERE):
        pytest.fail("it was let in")
    assert function.next_route()[0] == "$connect"
    assert function.events.empty()


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, HERE | {"Origin": "http://evil.example"}])
def test_who_does_not_mean_this_server_is_not_even_announced(
    http: TestClient, function: Function, headers: dict[str, str]
) -> None:
    with pytest.raises(WebSocketDisconnect), http.websocket_connect("/ws?ticket=good", headers=headers):
        pytest.fail("it was let in")
    assert function.events.empty()


def test_a_message_is_passed_on_and_its_answer_comes_back(function: Function, socket: WebSocketTestSession) -> None:
    _, connection_id = function.next_route()
    socket.send_text("grün")
    assert socket.receive_text() == "heard grün"
    event = function.next()
    assert (event["body"], event["isBase64Encoded"]) == ("grün", False)
    assert (event["requestContext"]["routeKey"], event["requestContext"]["connectionId"]) == ("$default", connection_id)


def test_bytes_are_passed_on_as_base64(function: Function, socket: WebSocketTestSession) -> None:
    function.next()
    socket.send_bytes(b"\x00\xff")
    socket.receive_text()
    event = function.next()
    assert (base64.b64decode(event["body"]), event["isBase64Encoded"]) == (b"\x00\xff", True)


def test_a_function_that_breaks_says_no_more_than_that_and_the_connection_goes_on(
    function: Function, socket: WebSocketTestSession
) -> None:
    _, connection_id = function.next_route()
    socket.send_text("break")
    said = socket.receive_json()
    assert (said["message"], said["connectionId"]) == ("Internal server error", connection_id)
    socket.send_text("on")
    assert socket.receive_text() == "heard on"


def test_what_is_posted_from_another_thread_arrives_in_order(function: Function, socket: WebSocketTestSession) -> None:
    line = line_of(function.next_route()[1])
    posting = threading.Thread(target=lambda: [line.send(f"{number}") for number in range(200)])
    posting.start()
    assert [socket.receive_text() for _ in range(200)] == [f"{number}" for number in range(200)]
    posting.join()


def test_a_connection_can_be_ended_behind_what_was_sent(function: Function, socket: WebSocketTestSession) -> None:
    line = line_of(function.next_route()[1])
    assert line.send("last")
    line.close()
    assert socket.receive_text() == "last"
    assert socket.receive()["type"] == "websocket.close"
    assert function.next_route()[0] == "$disconnect"


def test_the_end_is_announced_and_nobody_is_found_there_any_more(http: TestClient, function: Function) -> None:
    with http.websocket_connect("/ws?ticket=good", headers=HERE):
        connected = function.next_route()[1]
    assert function.next_route() == ("$disconnect", connected)
    with pytest.raises(KeyError):
        line_of(connected)


def test_who_takes_messages_too_slowly_is_cut_off(
    function: Function, socket: WebSocketTestSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_gateway, "_MOST_WAITING", 0)
    line = line_of(function.next_route()[1])
    assert not line.send("too much")
    assert socket.receive()["type"] == "websocket.close"


def test_all_else_is_the_apis(http: TestClient, function: Function) -> None:
    assert http.get("/ws").text == "the API"
    assert function.events.empty()
