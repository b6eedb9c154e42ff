"""The WebSocket API as API Gateway speaks to it, over fakes."""

import json
from typing import Any

import pytest

from satchel.domain.sessions import Turn
from satchel.entrypoints.websocket import Sockets
from tests.unit.services.scenery import ALICE, BOB
from tests.unit.services.world import World

Json = dict[str, Any]


class Door:
    """The routes over a world of fakes."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.routes = Sockets(world.open_connection, world.forget_connection, world.subscribe, world.unsubscribe)

    def call(self, route: str, connection_id: str = "c1", **given: object) -> Json:
        return self.routes({"requestContext": {"routeKey": route, "connectionId": connection_id}, **given})

    def say(self, message: object, connection_id: str = "c1") -> Json:
        body = message if isinstance(message, str) else json.dumps(message)
        answer = self.call("$default", connection_id, body=body, isBase64Encoded=False)
        assert answer["statusCode"] == 200
        said: Json = json.loads(answer["body"])
        return said


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def door(world: World) -> Door:
    return Door(world)


@pytest.fixture
def turn(world: World) -> Turn:
    return world.turn(world.session())


@pytest.fixture
def connected(door: Door) -> Door:
    """Alice is connected as ``c1``, Bob as ``c2``."""
    for connection_id, who in (("c1", ALICE), ("c2", BOB)):
        ticket = {"ticket": door.world.issue_ticket(who).ticket}
        assert door.call("$connect", connection_id, queryStringParameters=ticket) == {"statusCode": 200}
    return door


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"queryStringParameters": None, "headers": None},
        {"queryStringParameters": {}},
        {"queryStringParameters": {"ticket": ""}},
        {"queryStringParameters": {"ticket": "forged"}},
    ],
)
def test_without_a_ticket_the_door_stays_closed(door: Door, given: Json) -> None:
    assert door.call("$connect", **given) == {"statusCode": 403}
    assert door.world.connections.kept == {}


@pytest.mark.parametrize("name", ["Origin", "origin", "ORIGIN"])
def test_a_page_of_another_site_stays_outside(door: Door, name: str) -> None:
    ticket = {"ticket": door.world.issue_ticket(ALICE).ticket}
    headers = {name: "https://evil.example"}
    assert door.call("$connect", queryStringParameters=ticket, headers=headers) == {"statusCode": 403}


def test_a_connection_that_ends_is_forgotten(connected: Door) -> None:
    assert connected.call("$disconnect") == {"statusCode": 200}
    assert list(connected.world.connections.kept) == ["c2"]


def test_subscribing_is_confirmed(connected: Door, turn: Turn) -> None:
    message = {"action": "subscribe", "session_id": turn.session_id, "turn_id": turn.turn_id, "after": 2}
    assert connected.say(message) == {"type": "subscribed", "turn_id": turn.turn_id, "after": 2}
    assert [each.sent for each in connected.world.subscriptions.of_turn(turn.turn_id, 9)] == [2]


def test_so_is_unsubscribing_whatever_was_followed(connected: Door, turn: Turn) -> None:
    connected.say({"action": "subscribe", "session_id": turn.session_id, "turn_id": turn.turn_id})
    for _ in range(2):
        said = connected.say({"action": "unsubscribe", "turn_id": turn.turn_id})
        assert said == {"type": "unsubscribed", "turn_id": turn.turn_id}
    assert connected.world.subscriptions.of_turn(turn.turn_id, 9) == []


def test_a_word_now_and_then_keeps_a_connection_open(connected: Door) -> None:
    assert connected.say({"action": "ping"}) == {"type": "pong"}


def test_a_turn_of_somebody_else_is_answered_as_one_that_is_not_there(connected: Door, turn: Turn) -> None:
    absent = "s01m7yz1hs4gcreevqf6n983x09"
    foreign = connected.say({"action": "subscribe", "session_id": turn.session_id, "turn_id": turn.turn_id}, "c2")
    nothing = connected.say({"action": "subscribe", "session_id": absent, "turn_id": turn.turn_id}, "c2")
    assert foreign == {
        "type": "error",
        "error_code": "E_SESSION_NOT_FOUND",
        "message": "There is no such session.",
        "session_id": turn.session_id,
    }
    assert foreign == nothing | {"session_id": turn.session_id}


def test_a_turn_that_is_not_in_the_session_is_not_found(connected: Door, turn: Turn) -> None:
    said = connected.say({"action": "subscribe", "session_id": turn.session_id, "turn_id": "../x"})
    assert (said["error_code"], said["turn_id"]) == ("E_TURN_NOT_FOUND", "../x")


@pytest.mark.parametrize(
    ("message", "said"),
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
def test_a_message_that_is_none_is_answered_with_what_is_wrong(connected: Door, message: object, said: str) -> None:
    answer = connected.say(message)
    assert answer.keys() == {"type", "error_code", "message"}
    assert (answer["type"], answer["error_code"]) == ("error", "E_INVALID_REQUEST")
    assert answer["message"].startswith(said)
    assert len(answer["message"]) <= 500


def test_a_message_without_a_body_is_answered_too(connected: Door) -> None:
    answer = connected.call("$default", body=None)
    assert json.loads(answer["body"])["error_code"] == "E_INVALID_REQUEST"
