"""The WebSocket API with events of API Gateway and fake ports."""

import json
from typing import Any

import pytest

from satchel.domain.sessions import Turn
from satchel.entrypoints.websocket import WebSocketRoutes
from tests.unit.entrypoints.test_asyncapi import assert_is_documented
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World

Json = dict[str, Any]


class Api:
    """The WebSocket routes over fake ports."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.routes = WebSocketRoutes(world.use_cases)

    def call(self, route: str, connection_id: str = "c1", **fields: object) -> Json:
        return self.routes({"requestContext": {"routeKey": route, "connectionId": connection_id}, **fields})

    def send(self, message: object, connection_id: str = "c1") -> Json:
        body = message if isinstance(message, str) else json.dumps(message)
        response = self.call("$default", connection_id, body=body, isBase64Encoded=False)
        assert response["statusCode"] == 200
        reply: Json = json.loads(response["body"])
        assert_is_documented(reply)
        return reply


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def api(world: World) -> Api:
    return Api(world)


@pytest.fixture
def turn(world: World) -> Turn:
    return world.turn(world.session())


@pytest.fixture
def connected(api: Api) -> Api:
    """Alice is connected as ``c1``, Bob as ``c2``."""
    for connection_id, user in (("c1", ALICE), ("c2", BOB)):
        ticket = {"ticket": api.world.use_cases.issue_ticket(user).ticket}
        assert api.call("$connect", connection_id, queryStringParameters=ticket) == {"statusCode": 200}
    return api


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"queryStringParameters": None, "headers": None},
        {"queryStringParameters": {}},
        {"queryStringParameters": {"ticket": ""}},
        {"queryStringParameters": {"ticket": "forged"}},
    ],
)
def test_connect_without_a_valid_ticket_is_refused(api: Api, fields: Json) -> None:
    assert api.call("$connect", **fields) == {"statusCode": 403}
    assert api.world.connections.stored == {}


@pytest.mark.parametrize("name", ["Origin", "origin", "ORIGIN"])
def test_connect_from_another_origin_is_refused(api: Api, name: str) -> None:
    ticket = {"ticket": api.world.use_cases.issue_ticket(ALICE).ticket}
    headers = {name: "https://evil.example"}
    assert api.call("$connect", queryStringParameters=ticket, headers=headers) == {"statusCode": 403}


def test_disconnect_deletes_the_connection(connected: Api) -> None:
    assert connected.call("$disconnect") == {"statusCode": 200}
    assert list(connected.world.connections.stored) == ["c2"]


def test_subscribe_is_confirmed_and_stored(connected: Api, turn: Turn) -> None:
    message = {"action": "subscribe", "session_id": turn.session_id, "turn_id": turn.turn_id, "after": 2}
    assert connected.send(message) == {"type": "subscribed", "turn_id": turn.turn_id, "after": 2}
    assert [each.sent for each in connected.world.subscriptions.list_for_turn(turn.turn_id, 9)] == [2]


def test_unsubscribe_is_confirmed_with_and_without_a_subscription(connected: Api, turn: Turn) -> None:
    connected.send({"action": "subscribe", "session_id": turn.session_id, "turn_id": turn.turn_id})
    for _ in range(2):
        reply = connected.send({"action": "unsubscribe", "turn_id": turn.turn_id})
        assert reply == {"type": "unsubscribed", "turn_id": turn.turn_id}
    assert connected.world.subscriptions.list_for_turn(turn.turn_id, 9) == []


def test_ping_is_answered_with_pong(connected: Api) -> None:
    assert connected.send({"action": "ping"}) == {"type": "pong"}


def test_subscribing_to_another_users_turn_gives_the_error_of_a_missing_one(connected: Api, turn: Turn) -> None:
    absent = "s01m7yz1hs4gcreevqf6n983x09"
    foreign = connected.send({"action": "subscribe", "session_id": turn.session_id, "turn_id": turn.turn_id}, "c2")
    missing = connected.send({"action": "subscribe", "session_id": absent, "turn_id": turn.turn_id}, "c2")
    assert foreign == {
        "type": "error",
        "error_code": "E_SESSION_NOT_FOUND",
        "message": "There is no such session.",
        "session_id": turn.session_id,
    }
    assert foreign == missing | {"session_id": turn.session_id}


def test_subscribing_to_a_turn_of_another_session_gives_not_found(connected: Api, turn: Turn) -> None:
    reply = connected.send({"action": "subscribe", "session_id": turn.session_id, "turn_id": "../x"})
    assert (reply["error_code"], reply["turn_id"]) == ("E_TURN_NOT_FOUND", "../x")


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("", "message: Invalid JSON"),
        ("hello", "message: Invalid JSON"),
        ("[]", "message: "),
        ("{}", "message: Unable to extract tag"),
        ({"action": "shout"}, "message: Input tag 'shout'"),
        ({"action": "subscribe"}, "subscribe.session_id: Field required; subscribe.turn_id: Field required"),
        ({"action": "unsubscribe", "turn_id": 7}, "unsubscribe.turn_id: Input should be a valid string"),
        ({"action": "subscribe", "session_id": "s", "turn_id": "t", "after": -1}, "subscribe.after: "),
        ({"action": "subscribe", "session_id": "s" * 200, "turn_id": "t"}, "subscribe.session_id: "),
        ({"action": "x" * 100_000}, "message: Input tag"),
    ],
)
def test_invalid_message_is_answered_with_the_reason(connected: Api, message: object, reason: str) -> None:
    reply = connected.send(message)
    assert reply.keys() == {"type", "error_code", "message"}
    assert (reply["type"], reply["error_code"]) == ("error", "E_INVALID_REQUEST")
    assert reply["message"].startswith(reason)
    assert len(reply["message"]) <= 500


def test_message_without_a_body_is_answered_with_an_error(connected: Api) -> None:
    response = connected.call("$default", body=None)
    assert json.loads(response["body"])["error_code"] == "E_INVALID_REQUEST"
