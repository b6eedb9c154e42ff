"""The owner's word on a call, over HTTP."""

import pytest
from starlette.testclient import TestClient

from tests.integration.aws.makers import someone
from tests.integration.http.desk import Desk, problem, session_not_found
from tests.integration.http.world import World

YES = {"approved": True, "arguments": {"filename": "b.csv"}, "reason": None}


@pytest.fixture
def session_id(desk: Desk) -> str:
    return desk.session()


@pytest.fixture
def address(world: World, desk: Desk, user: str, session_id: str) -> str:
    """Where to say a word about a call that waits."""
    world.callback.ended.clear()
    return world.ask(user, session_id, desk.turn(session_id))


def test_a_word_is_taken_and_the_turn_goes_on(world: World, http: TestClient, address: str) -> None:
    answer = http.post(address, json=YES)

    assert (answer.status_code, answer.json()) == (200, YES)
    assert world.callback.ended == ["waiting"]


def test_what_was_asked_and_said_stands_in_the_events(http: TestClient, address: str) -> None:
    http.post(address, json={"approved": False, "reason": "no"})

    turn = address.partition("/calls/")[0]
    told = http.get(f"{turn}/events").json()["events"]
    assert [event["type"] for event in told] == ["turn_started", "tool_approval_request", "tool_approval"]
    assert (told[1]["tool"], told[2]["approved"], told[2]["reason"]) == ("report.summarise", False, "no")
    assert "waiting" not in str(told)


def test_another_word_afterwards_is_a_conflict(http: TestClient, address: str) -> None:
    http.post(address, json=YES)

    answer = http.post(address, json={"approved": False})

    assert answer.status_code == 409
    assert answer.json() == problem(
        409, "Conflict", "E_APPROVAL_CLOSED", "It was decided otherwise before.", call_id=address.split("/")[-2]
    )


def test_somebody_elses_call_is_not_there(world: World, address: str, session_id: str) -> None:
    answer = world.person(someone()).post(address, json=YES)

    assert (answer.status_code, answer.json()) == (404, session_not_found(session_id))
    assert world.callback.ended == []


@pytest.mark.parametrize("end", ["-07-07", "-0-0", "", "-00-00-00", "-00-00%2f.."])
def test_a_call_that_nobody_was_asked_about_is_not_there(http: TestClient, address: str, end: str) -> None:
    answer = http.post(address.replace("-00-00/", f"{end}/"), json=YES)

    assert answer.status_code == 404
    assert answer.json()["error_code"] in {"E_CALL_NOT_FOUND", "E_NOT_FOUND"}


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"approved": "perhaps"},
        {"approved": True, "arguments": []},
        {"approved": True, "arguments": "{}"},
        {"approved": True, "username": "mallory"},
        {"approved": False, "reason": "x" * 1001},
        [],
    ],
)
def test_what_is_no_decision_is_refused(world: World, http: TestClient, address: str, wrong: object) -> None:
    answer = http.post(address, json=wrong)

    assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")
    assert world.callback.ended == []
