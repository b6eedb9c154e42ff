"""Approvals of tool calls over HTTP."""

import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import UserName
from satchel.domain.steps import APPROVAL_DECIDED
from tests.integration.aws.factories import new_user
from tests.integration.http.api_client import ApiClient, problem, session_not_found
from tests.integration.http.backend import Backend

EDITED = {"filename": "b.csv"}


@pytest.fixture
def session_id(api: ApiClient) -> str:
    return api.create_session()


@pytest.fixture
def url(backend: Backend, api: ApiClient, user: UserName, session_id: str) -> str:
    """The URL of the decision about a call that waits for approval."""
    backend.callback.succeeded.clear()
    return backend.request_approval(user, session_id, api.start_turn(session_id))


@pytest.fixture
def approval(http: TestClient, url: str) -> dict[str, object]:
    """An approval of the call, with the digest of the request that the API returns."""
    return {"approved": True, "digest": http.get(url).json()["digest"], "arguments": EDITED, "reason": None}


def test_request_shows_the_arguments_of_the_calls_record(http: TestClient, url: str) -> None:
    response = http.get(url)

    assert response.status_code == 200
    assert (response.json()["tool"], response.json()["arguments"]) == ("report.summarise", {})
    assert "waiting" not in response.text


def test_decision_resumes_the_turn(backend: Backend, http: TestClient, url: str, approval: dict[str, object]) -> None:
    response = http.post(url, json=approval)

    assert (response.status_code, response.json()) == (200, approval)
    assert backend.callback.failed == [("waiting", APPROVAL_DECIDED)]


def test_events_show_the_approval_request_and_the_decision(http: TestClient, url: str) -> None:
    http.post(url, json={"approved": False, "reason": "no"})

    turn = url.partition("/calls/")[0]
    events = http.get(f"{turn}/events").json()["events"]
    assert [event["type"] for event in events] == ["turn_started", "tool_approval_request", "tool_approval"]
    assert (events[1]["tool"], events[2]["approved"], events[2]["reason"]) == ("report.summarise", False, "no")
    assert "waiting" not in str(events)


@pytest.mark.parametrize("digest", [{}, {"digest": None}, {"digest": "0" * 64}])
def test_approval_without_the_digest_of_the_call_is_a_conflict(
    backend: Backend, http: TestClient, url: str, digest: dict[str, object]
) -> None:
    response = http.post(url, json={"approved": True, **digest})

    assert (response.status_code, response.json()["error_code"]) == (409, "E_APPROVAL_MISMATCH")
    assert backend.callback.succeeded == []


def test_second_different_decision_is_a_conflict(http: TestClient, url: str, approval: dict[str, object]) -> None:
    http.post(url, json=approval)

    response = http.post(url, json={"approved": False})

    assert response.status_code == 409
    assert response.json() == problem(
        409, "Conflict", "E_APPROVAL_CLOSED", "The call already has another decision.", call_id=url.split("/")[-2]
    )


def test_call_of_another_user_is_not_found(backend: Backend, url: str, session_id: str) -> None:
    response = backend.client_for(new_user()).post(url, json={"approved": False})

    assert (response.status_code, response.json()) == (404, session_not_found(session_id))
    assert backend.callback.succeeded == []


@pytest.mark.parametrize("end", ["-07-07", "-0-0", "", "-00-00-00", "-00-00%2f.."])
def test_call_without_an_approval_request_is_not_found(http: TestClient, url: str, end: str) -> None:
    response = http.post(url.replace("-00-00/", f"{end}/"), json={"approved": False})

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
