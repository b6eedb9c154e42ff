"""Approvals of tool calls over HTTP."""

import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import UserName
from tests.integration.aws.factories import new_user
from tests.integration.http.api_client import ApiClient, problem, session_not_found
from tests.integration.http.backend import Backend

APPROVAL = {"approved": True, "arguments": {"filename": "b.csv"}, "reason": None}


@pytest.fixture
def session_id(api: ApiClient) -> str:
    return api.create_session()


@pytest.fixture
def url(backend: Backend, api: ApiClient, user: UserName, session_id: str) -> str:
    """The URL of the decision about a call that waits for approval."""
    backend.callback.succeeded.clear()
    return backend.request_approval(user, session_id, api.start_turn(session_id))


def test_decision_resumes_the_turn(backend: Backend, http: TestClient, url: str) -> None:
    response = http.post(url, json=APPROVAL)

    assert (response.status_code, response.json()) == (200, APPROVAL)
    assert backend.callback.succeeded == ["waiting"]


def test_events_show_the_approval_request_and_the_decision(http: TestClient, url: str) -> None:
    http.post(url, json={"approved": False, "reason": "no"})

    turn = url.partition("/calls/")[0]
    events = http.get(f"{turn}/events").json()["events"]
    assert [event["type"] for event in events] == ["turn_started", "tool_approval_request", "tool_approval"]
    assert (events[1]["tool"], events[2]["approved"], events[2]["reason"]) == ("report.summarise", False, "no")
    assert "waiting" not in str(events)


def test_second_different_decision_is_a_conflict(http: TestClient, url: str) -> None:
    http.post(url, json=APPROVAL)

    response = http.post(url, json={"approved": False})

    assert response.status_code == 409
    assert response.json() == problem(
        409, "Conflict", "E_APPROVAL_CLOSED", "The call already has another decision.", call_id=url.split("/")[-2]
    )


def test_call_of_another_user_is_not_found(backend: Backend, url: str, session_id: str) -> None:
    response = backend.client_for(new_user()).post(url, json=APPROVAL)

    assert (response.status_code, response.json()) == (404, session_not_found(session_id))
    assert backend.callback.succeeded == []


@pytest.mark.parametrize("end", ["-07-07", "-0-0", "", "-00-00-00", "-00-00%2f.."])
def test_call_without_an_approval_request_is_not_found(http: TestClient, url: str, end: str) -> None:
    response = http.post(url.replace("-00-00/", f"{end}/"), json=APPROVAL)

    assert response.status_code == 404
    assert response.json()["error_code"] in {"E_CALL_NOT_FOUND", "E_NOT_FOUND"}


@pytest.mark.parametrize(
    "body",
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
def test_invalid_decision_is_rejected(backend: Backend, http: TestClient, url: str, body: object) -> None:
    response = http.post(url, json=body)

    assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")
    assert backend.callback.succeeded == []
