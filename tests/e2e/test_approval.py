"""Approval of calls: a turn waits for its owner's decision and continues with it."""

import time
from collections.abc import Iterator

import pytest

from tests.e2e.conftest import SIGN_INS, NewUser
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient
from tests.priority import prioritized

CALL = '/approval.write {"name": "note.txt", "text": "hello"}'


@pytest.fixture
def alice(new_user: NewUser) -> UserClient:
    return new_user()


class WaitingTurn:
    """A turn that waits for approval. ``request`` is its `tool_approval_request` event, ``shown`` the API's request."""

    def __init__(self, user: UserClient, message: str = CALL) -> None:
        self.user = user
        self.session_id = user.create_session()
        self.turn_id = user.start_turn(self.session_id, message)["turn_id"]
        self.path = f"/api/sessions/{self.session_id}/turns/{self.turn_id}"
        self.request = next(event for event in self._events() if event["type"] == "tool_approval_request")
        self.approval_path = f"{self.path}/calls/{self.request['call_id']}/approval"
        self.shown = user.request("GET", self.approval_path).json()

    def _events(self) -> Iterator[Json]:
        after = 0
        while True:
            page = self.user.request("GET", f"{self.path}/events", params={"after": after, "wait": 20}).json()
            yield from page["events"]
            assert not page["done"], "the turn ended without an approval request"
            after = page["next"]

    def decide(self, user: UserClient | None = None, **decision: object) -> int:
        """Send the decision, as the owner unless another user is given, and return the HTTP status."""
        named = {"digest": self.shown["digest"], **decision} if decision["approved"] else decision
        return (user or self.user).request("POST", self.approval_path, json=named).status_code

    def response(self) -> Json:
        """Wait for the end of the turn and return the final response."""
        return self.user.wait_for_turn(self.session_id, self.turn_id)


def test_approved_call_runs_with_the_edited_arguments_and_the_owners_name(alice: UserClient) -> None:
    turn = WaitingTurn(alice)
    assert turn.shown["arguments"] == {"name": "note.txt", "text": "hello"}

    edited = {"name": "note.txt", "text": "edited", "username": "mallory@example.com"}
    assert turn.decide(approved=True, arguments=edited) == 200

    response = turn.response()
    (artifact,) = response["artifacts"]
    assert (response["status"], artifact["name"]) == ("complete", "note.txt")
    assert alice.request("GET", artifact["download_url"]).text == "edited"
    assert [call["results"] for call in response["tool_calls"]] == [alice.name]


def test_denied_call_does_not_run_and_the_turn_continues(alice: UserClient) -> None:
    turn = WaitingTurn(alice, f'{CALL}\n/calculator.evaluate {{"expression": "2+3"}}')
    assert turn.decide(approved=False, reason="not today") == 200

    denied, completed = turn.response()["tool_calls"]
    assert (denied["error_code"], denied["results"]) == (
        "E_FORBIDDEN",
        {"error": "The user denied the call: not today"},
    )
    assert not completed["is_error"]


@SIGN_INS
def test_decision_of_another_user_returns_404(alice: UserClient, new_user: NewUser) -> None:
    turn = WaitingTurn(alice)
    assert turn.decide(new_user(), approved=True) == 404
    assert turn.decide(approved=False) == 200


def test_waiting_turn_is_cancelled_within_two_seconds(system: SystemProcess, alice: UserClient) -> None:
    turn = WaitingTurn(alice)
    with prioritized(system.process.pid):
        start = time.monotonic()
        assert alice.request("DELETE", turn.path).json()["status"] == "cancelled"
        events = alice.events(turn.session_id, turn.turn_id)
        assert time.monotonic() - start < 2
    assert [event["type"] for event in events].count("turn_failed") == 1
    assert turn.decide(approved=True) == 409
    assert alice.ask(turn.session_id, "hello")["status"] == "complete"


def test_approval_needs_the_digest_of_the_call(alice: UserClient) -> None:
    turn = WaitingTurn(alice)
    assert "arguments" not in turn.request
    assert [turn.decide(approved=True, digest=digest) for digest in (None, "0" * 64)] == [409, 409]
    assert turn.decide(approved=True) == 200
    assert turn.response()["status"] == "complete"
