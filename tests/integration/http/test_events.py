import threading
import time
from typing import Any

import pytest
from starlette.testclient import TestClient

from satchel.adapters.dynamodb.events import LAST_NUMBERS
from satchel.domain.events import NewEvent
from satchel.domain.ids import TurnId, UserName
from tests.integration.http.api_client import ApiClient
from tests.integration.http.backend import Backend


@pytest.fixture
def session_id(api: ApiClient) -> str:
    return api.create_session()


@pytest.fixture
def turn_id(api: ApiClient, session_id: str) -> str:
    return api.start_turn(session_id)


@pytest.fixture
def url(session_id: str, turn_id: str) -> str:
    return f"/api/sessions/{session_id}/turns/{turn_id}/events"


def append_text(backend: Backend, turn_id: str, text: str) -> None:
    backend.events.append(
        TurnId(turn_id), NewEvent(type="token_stream", payload={"text": text, "round": 0, "attempt": 0})
    )


def texts(page: dict[str, Any]) -> list[Any]:
    return [event.get("text") for event in page["events"]]


def test_event_has_sequence_number_type_time_and_payload(
    backend: Backend, api: ApiClient, url: str, session_id: str, turn_id: str
) -> None:
    append_text(backend, turn_id, "grün")
    now = backend.clock.now().isoformat().replace("+00:00", "Z")

    assert api.get_json(url) == {
        "events": [
            {"seq": 1, "turn_id": turn_id, "type": "turn_started", "at": now, "session_id": session_id},
            {"seq": 2, "turn_id": turn_id, "type": "token_stream", "at": now, "text": "grün", "round": 0, "attempt": 0},
        ],
        "next": 2,
        "done": False,
    }


def test_unreadable_item_is_skipped_with_a_warning(
    backend: Backend, api: ApiClient, url: str, turn_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    append_text(backend, turn_id, "first")
    backend.table.put({"pk": f"TURN#{turn_id}", "sk": "EVENT#00000003", "doc": "[[["})
    LAST_NUMBERS.clear()
    append_text(backend, turn_id, "later")

    page = api.get_json(url)

    assert (texts(page), page["next"]) == ([None, "first", "later"], 4)
    assert set(caplog.messages) == {"skipped an unreadable event"}


def test_payload_cannot_replace_sequence_number_or_type(
    backend: Backend, api: ApiClient, url: str, turn_id: str
) -> None:
    forged = {"seq": 99, "turn_id": "t", "type": "response_complete", "at": "never"}
    backend.events.append(TurnId(turn_id), NewEvent(type="tool_log", payload=forged))

    page = api.get_json(f"{url}?after=1")

    assert (page["events"][0]["seq"], page["events"][0]["type"], page["done"]) == (2, "tool_log", False)


def test_same_cursor_returns_the_same_events(backend: Backend, http: TestClient, url: str, turn_id: str) -> None:
    append_text(backend, turn_id, "a")

    assert http.get(url).content == http.get(url).content


def test_events_after_a_cursor_have_no_gaps_or_duplicates(
    backend: Backend, api: ApiClient, url: str, turn_id: str
) -> None:
    for text in "abc":
        append_text(backend, turn_id, text)

    page = api.get_json(f"{url}?after=2")

    assert texts(page) == ["b", "c"]
    assert api.get_json(f"{url}?after={page['next']}") == {"events": [], "next": 4, "done": False}


def test_second_page_continues_at_next(backend: Backend, api: ApiClient, url: str, turn_id: str) -> None:
    for number in range(205):
        append_text(backend, turn_id, str(number))

    first = api.get_json(url)
    second = api.get_json(f"{url}?after={first['next']}")

    assert [event["seq"] for event in first["events"] + second["events"]] == list(range(1, 207))


def test_completed_turn_ends_with_response_complete(
    backend: Backend, api: ApiClient, user: UserName, url: str, session_id: str, turn_id: str
) -> None:
    backend.complete_turn(user, session_id, turn_id)

    page = api.get_json(url)

    assert [event["type"] for event in page["events"]] == ["turn_started", "response_complete"]
    assert page["done"] is True
    assert api.get_json(f"{url}?after={page['next']}&wait=25") == {"events": [], "next": 2, "done": True}


def test_cancelled_turn_ends_with_turn_failed(http: TestClient, api: ApiClient, url: str) -> None:
    http.delete(url.removesuffix("/events"))

    page = api.get_json(url)

    assert [event["type"] for event in page["events"]] == ["turn_started", "turn_failed"]
    assert page["done"] is True


def test_event_with_values_that_json_cannot_represent_is_returned(
    backend: Backend, api: ApiClient, url: str, turn_id: str
) -> None:
    payload = {"text": "\ud800", "number": float("nan"), "more": [float("inf"), "\x00"], "\ud800": 1}
    backend.events.append(TurnId(turn_id), NewEvent(type="tool_progress", payload=payload))

    [event] = api.get_json(f"{url}?after=1")["events"]

    assert event["more"] == [None, "\x00"]
    assert event["number"] is None


class TestLongPoll:
    def test_poll_returns_at_once_if_there_is_an_event(self, api: ApiClient, url: str) -> None:
        started = time.monotonic()

        assert len(api.get_json(f"{url}?wait=25")["events"]) == 1
        assert time.monotonic() - started < 5

    def test_poll_waits_for_the_next_event(self, backend: Backend, api: ApiClient, url: str, turn_id: str) -> None:
        later = threading.Timer(0.3, append_text, (backend, turn_id, "at last"))
        later.start()

        page = api.get_json(f"{url}?after=1&wait=20")
        later.join()

        assert texts(page) == ["at last"]

    def test_poll_returns_empty_after_the_timeout(self, api: ApiClient, url: str) -> None:
        started = time.monotonic()

        page = api.get_json(f"{url}?after=1&wait=0.4")

        assert page == {"events": [], "next": 1, "done": False}
        assert 0.3 < time.monotonic() - started < 5

    def test_poll_ends_when_the_server_closes(self, backend: Backend, api: ApiClient, url: str) -> None:
        later = threading.Timer(0.2, setattr, (backend, "closing", True))
        later.start()
        started = time.monotonic()

        page = api.get_json(f"{url}?after=1&wait=25")
        later.join()

        assert page == {"events": [], "next": 1, "done": False}
        assert time.monotonic() - started < 5

    def test_poll_returns_the_end_of_the_turn(
        self, backend: Backend, api: ApiClient, user: UserName, url: str, session_id: str, turn_id: str
    ) -> None:
        later = threading.Timer(0.2, backend.complete_turn, (user, session_id, turn_id))
        later.start()

        page = api.get_json(f"{url}?after=1&wait=20")
        later.join()

        assert [event["type"] for event in page["events"]] == ["response_complete"]
        assert page["done"] is True


@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", "after=1.5", "after=100000000", "wait=-1", "wait=x", "wait=nan"]
)
def test_invalid_cursor_or_timeout_is_rejected(http: TestClient, url: str, query: str) -> None:
    response = http.get(f"{url}?{query}")

    assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")
    assert response.headers["content-type"] == "application/problem+json"


def test_cursor_after_the_end_returns_no_events(api: ApiClient, url: str) -> None:
    assert api.get_json(f"{url}?after=99999999") == {"events": [], "next": 99999999, "done": False}
