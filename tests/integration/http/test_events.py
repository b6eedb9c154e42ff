import threading
import time
from typing import Any

import pytest
from starlette.testclient import TestClient

from satchel.domain.events import NewEvent
from satchel.domain.ids import SessionId, TurnId
from satchel.domain.sessions import TurnStatus
from tests.integration.http.desk import Desk
from tests.integration.http.world import World


@pytest.fixture
def session_id(desk: Desk) -> str:
    return desk.session()


@pytest.fixture
def turn_id(desk: Desk, session_id: str) -> str:
    return desk.turn(session_id)


@pytest.fixture
def url(session_id: str, turn_id: str) -> str:
    return f"/api/sessions/{session_id}/turns/{turn_id}/events"


def say(world: World, turn_id: str, text: str) -> None:
    world.events.append(
        TurnId(turn_id), NewEvent(type="token_stream", payload={"text": text, "round": 0, "attempt": 0})
    )


def texts(page: dict[str, Any]) -> list[Any]:
    return [event.get("text") for event in page["events"]]


def test_events_hold_what_happened_beside_number_type_and_time(
    world: World, desk: Desk, url: str, session_id: str, turn_id: str
) -> None:
    say(world, turn_id, "grün")
    now = world.clock.now().isoformat().replace("+00:00", "Z")

    assert desk.get(url) == {
        "events": [
            {"seq": 1, "turn_id": turn_id, "type": "turn_started", "at": now, "session_id": session_id},
            {"seq": 2, "turn_id": turn_id, "type": "token_stream", "at": now, "text": "grün", "round": 0, "attempt": 0},
        ],
        "next": 2,
        "done": False,
    }


def test_what_an_event_says_cannot_pass_for_its_number_or_type(
    world: World, desk: Desk, url: str, turn_id: str
) -> None:
    forged = {"seq": 99, "turn_id": "t", "type": "response_complete", "at": "never"}
    world.events.append(TurnId(turn_id), NewEvent(type="tool_log", payload=forged))

    page = desk.get(f"{url}?after=1")

    assert (page["events"][0]["seq"], page["events"][0]["type"], page["done"]) == (2, "tool_log", False)


def test_twice_with_one_cursor_is_the_same(world: World, http: TestClient, url: str, turn_id: str) -> None:
    say(world, turn_id, "a")

    assert http.get(url).content == http.get(url).content


def test_from_the_middle_it_goes_on_without_gap_or_repeat(world: World, desk: Desk, url: str, turn_id: str) -> None:
    for text in "abc":
        say(world, turn_id, text)

    page = desk.get(f"{url}?after=2")

    assert texts(page) == ["b", "c"]
    assert desk.get(f"{url}?after={page['next']}") == {"events": [], "next": 4, "done": False}


def test_more_than_a_page_goes_on_with_next(world: World, desk: Desk, url: str, turn_id: str) -> None:
    for number in range(205):
        say(world, turn_id, str(number))

    first = desk.get(url)
    second = desk.get(f"{url}?after={first['next']}")

    assert [event["seq"] for event in first["events"] + second["events"]] == list(range(1, 207))


def test_the_last_event_is_the_end(
    world: World, desk: Desk, user: str, url: str, session_id: str, turn_id: str
) -> None:
    world.answer(user, session_id, turn_id)

    page = desk.get(url)

    assert [event["type"] for event in page["events"]] == ["turn_started", "response_complete"]
    assert page["done"] is True
    assert desk.get(f"{url}?after={page['next']}&wait=25") == {"events": [], "next": 2, "done": True}


def test_a_cancelled_turn_ends_with_turn_failed(http: TestClient, desk: Desk, url: str) -> None:
    http.delete(url.removesuffix("/events"))

    page = desk.get(url)

    assert [event["type"] for event in page["events"]] == ["turn_started", "turn_failed"]
    assert page["done"] is True


def test_a_turn_is_not_done_before_its_last_event_is_there(
    world: World, desk: Desk, url: str, session_id: str, turn_id: str
) -> None:
    """The end is written first, its event after it: who reads in between must come again."""
    turn = world.turns.get(SessionId(session_id), TurnId(turn_id))
    assert turn is not None
    world.turns.end(turn.model_copy(update={"status": TurnStatus.COMPLETE}))

    assert desk.get(f"{url}?after=1") == {"events": [], "next": 1, "done": False}


def test_events_that_no_json_can_carry_do_not_spoil_the_page(world: World, desk: Desk, url: str, turn_id: str) -> None:
    payload = {"text": "\ud800", "number": float("nan"), "more": [float("inf"), "\x00"], "\ud800": 1}
    world.events.append(TurnId(turn_id), NewEvent(type="tool_progress", payload=payload))

    [event] = desk.get(f"{url}?after=1")["events"]

    assert event["more"] == [None, "\x00"]
    assert event["number"] is None


class TestLongPoll:
    def test_returns_at_once_when_there_is_something(self, desk: Desk, url: str) -> None:
        began = time.monotonic()

        assert len(desk.get(f"{url}?wait=25")["events"]) == 1
        assert time.monotonic() - began < 5

    def test_waits_for_the_next_event(self, world: World, desk: Desk, url: str, turn_id: str) -> None:
        later = threading.Timer(0.3, say, (world, turn_id, "at last"))
        later.start()

        page = desk.get(f"{url}?after=1&wait=20")
        later.join()

        assert texts(page) == ["at last"]

    def test_comes_back_empty_when_the_time_is_up(self, desk: Desk, url: str) -> None:
        began = time.monotonic()

        page = desk.get(f"{url}?after=1&wait=0.4")

        assert page == {"events": [], "next": 1, "done": False}
        assert 0.3 < time.monotonic() - began < 5

    def test_ends_when_the_server_closes(self, world: World, desk: Desk, url: str) -> None:
        later = threading.Timer(0.2, setattr, (world, "closing", True))
        later.start()
        began = time.monotonic()

        page = desk.get(f"{url}?after=1&wait=25")
        later.join()

        assert page == {"events": [], "next": 1, "done": False}
        assert time.monotonic() - began < 5

    def test_sees_the_turn_end_while_it_waits(
        self, world: World, desk: Desk, user: str, url: str, session_id: str, turn_id: str
    ) -> None:
        later = threading.Timer(0.2, world.answer, (user, session_id, turn_id))
        later.start()

        page = desk.get(f"{url}?after=1&wait=20")
        later.join()

        assert [event["type"] for event in page["events"]] == ["response_complete"]
        assert page["done"] is True


@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", "after=1.5", "after=100000000", "wait=-1", "wait=x", "wait=nan"]
)
def test_a_cursor_or_time_of_another_form_is_refused(http: TestClient, url: str, query: str) -> None:
    answer = http.get(f"{url}?{query}")

    assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_cursor_behind_the_end_finds_nothing(desk: Desk, url: str) -> None:
    assert desk.get(f"{url}?after=99999999") == {"events": [], "next": 99999999, "done": False}
