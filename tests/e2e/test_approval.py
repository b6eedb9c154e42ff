"""A turn waits for its owner's word, and goes on with it."""

import time
from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.e2e.person import Json, Person
from tests.e2e.system import System

CALL = '/asking.write {"name": "note.txt", "text": "hello"}'


@pytest.fixture
def alice(system: System) -> Person:
    return Person(system.url, f"alice{uuid4().hex[:8]}@example.com")


class Waiting:
    """A turn that has come to the question."""

    def __init__(self, person: Person, message: str = CALL) -> None:
        self.person = person
        self.session_id = person.session()
        self.turn_id = person.start(self.session_id, message)["turn_id"]
        self.path = f"/api/sessions/{self.session_id}/turns/{self.turn_id}"
        self.asked = next(event for event in self._events() if event["type"] == "tool_approval_request")

    def _events(self) -> Iterator[Json]:
        after = 0
        while True:
            page = self.person.call("GET", f"{self.path}/events", params={"after": after, "wait": 20}).json()
            yield from page["events"]
            assert not page["done"], "the turn ended without a question"
            after = page["next"]

    def say(self, who: Person | None = None, **decision: object) -> int:
        """Say a word about the call, and return the status of the answer."""
        address = f"{self.path}/calls/{self.asked['call_id']}/approval"
        return (who or self.person).call("POST", address, json=decision).status_code

    def response(self) -> Json:
        """Wait for the turn's end."""
        return self.person.wait_for(self.session_id, self.turn_id)


def test_an_approved_call_is_made_with_the_edited_arguments_and_ones_own_identity(alice: Person) -> None:
    turn = Waiting(alice)
    assert turn.asked["arguments"] == {"name": "note.txt", "text": "hello"}

    edited = {"name": "note.txt", "text": "edited", "username": "mallory@example.com"}
    assert turn.say(approved=True, arguments=edited) == 200

    response = turn.response()
    (artifact,) = response["artifacts"]
    assert (response["status"], artifact["name"]) == ("complete", "note.txt")
    assert alice.call("GET", artifact["download_url"]).text == "edited"
    assert [call["results"] for call in response["tool_calls"]] == [alice.name]


def test_a_refused_call_is_not_made_and_the_turn_goes_on(alice: Person) -> None:
    turn = Waiting(alice, f'{CALL}\n/calculator.evaluate {{"expression": "2+3"}}')
    assert turn.say(approved=False, reason="not today") == 200

    refused, worked = turn.response()["tool_calls"]
    assert (refused["error_code"], refused["results"]) == (
        "E_FORBIDDEN",
        {"error": "The person refused the call: not today"},
    )
    assert not worked["is_error"]


def test_nobody_else_may_say_a_word(system: System, alice: Person) -> None:
    turn = Waiting(alice)
    mallory = Person(system.url, f"mallory{uuid4().hex[:8]}@example.com")
    assert turn.say(mallory, approved=True) == 404
    assert turn.say(approved=False) == 200


def test_a_turn_that_waits_is_cancelled_within_two_seconds(alice: Person) -> None:
    turn = Waiting(alice)
    begun = time.monotonic()
    assert alice.call("DELETE", turn.path).json()["status"] == "cancelled"
    events = alice.events(turn.session_id, turn.turn_id)
    assert time.monotonic() - begun < 2
    assert [event["type"] for event in events].count("turn_failed") == 1
    assert turn.say(approved=True) == 409
    assert alice.ask(turn.session_id, "hello")["status"] == "complete"
