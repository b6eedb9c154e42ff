import json
import logging
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from satchel.adapters.dynamodb.table import Query
from satchel.contract import Canvas
from satchel.domain.calls import CallResult
from satchel.domain.canvas import MAX_DETAILS_BYTES, CanvasAction, to_response_canvas
from satchel.domain.ids import CanvasId, SessionId, TurnId, UserName
from tests.integration.aws.factories import make_call, new_user, random_id
from tests.integration.http.api_client import ApiClient, problem
from tests.integration.http.backend import Backend

URL = "/api/canvas/monitor-42/actions"
ACTION = {"action": "acknowledge", "details": {"alert": 17}}
CANVAS_WITH_TOKEN = Canvas(id="monitor-42", url="https://dash.example/view", title="Live", token="<capability-token>")


def not_found(canvas_id: str) -> dict[str, object]:
    return problem(404, "Not found", "E_CANVAS_NOT_FOUND", "There is no such dashboard.", canvas_id=canvas_id)


def stored_actions(backend: Backend, session_id: str) -> list[CanvasAction]:
    items, _ = backend.table.query(Query(f"SESSION#{session_id}", "ACTION#"))
    return [CanvasAction.model_validate_json(str(item["doc"])) for item in items]


@pytest.fixture
def session_id(backend: Backend, user: UserName, api: ApiClient) -> str:
    """A session with an open dashboard."""
    session_id = SessionId(api.create_session())
    backend.open_dashboard(user, session_id)
    return session_id


class TestActions:
    def test_action_is_returned_and_stored_with_the_signed_in_user(
        self, backend: Backend, http: TestClient, user: UserName, session_id: str
    ) -> None:
        dashboard = backend.dashboards.get(user, CanvasId("monitor-42"), SessionId(session_id))
        assert dashboard is not None

        response = http.post(URL, json=ACTION)

        assert response.status_code == 201
        assert response.json() == {
            "action_id": response.json()["action_id"],
            "canvas_id": "monitor-42",
            "session_id": session_id,
            "call_id": dashboard.call_id,
            "user": user,
            "action": "acknowledge",
            "details": {"alert": 17},
            "at": backend.clock.now().isoformat().replace("+00:00", "Z"),
        }
        assert stored_actions(backend, session_id) == [CanvasAction.model_validate(response.json())]

    def test_action_is_logged_with_the_user(
        self, http: TestClient, user: UserName, session_id: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.INFO)

        http.post(URL, json=ACTION)

        (line,) = [vars(record) for record in caplog.records if record.message == "canvas action"]
        assert (line["user"], line["canvas_id"], line["action"], line["session_id"]) == (
            user,
            "monitor-42",
            "acknowledge",
            session_id,
        )

    def test_user_in_the_request_is_ignored(
        self, backend: Backend, http: TestClient, user: UserName, session_id: str
    ) -> None:
        response = http.post(URL, json={**ACTION, "user": "mallory@example.com", "call_id": "x", "action_id": "y"})

        assert response.json()["user"] == user
        assert [action.user for action in stored_actions(backend, session_id)] == [user]

    def test_details_are_optional(self, http: TestClient, session_id: str) -> None:
        del session_id

        assert http.post(URL, json={"action": "refresh"}).json()["details"] == {}

    @pytest.mark.parametrize("canvas_id", ["größe \U0001f4c8", "a#b?c=d", "...", "a+b;c"])
    def test_dashboard_id_may_have_any_characters(
        self, backend: Backend, http: TestClient, user: UserName, api: ApiClient, canvas_id: str
    ) -> None:
        backend.open_dashboard(user, api.create_session(), canvas_id)

        response = http.post(f"/api/canvas/{quote(canvas_id, safe='')}/actions", json=ACTION)

        assert (response.status_code, response.json()["canvas_id"]) == (201, canvas_id)

    def test_action_belongs_to_the_session_in_the_request(
        self, backend: Backend, http: TestClient, user: UserName, api: ApiClient
    ) -> None:
        first, second = api.create_session(), api.create_session()
        for session_id in (first, second):
            backend.open_dashboard(user, session_id)

        assert http.post(URL, json={**ACTION, "session_id": first}).json()["session_id"] == first


class TestInvalidActions:
    def test_dashboard_of_another_user_gives_the_error_of_a_missing_one(
        self, backend: Backend, other_user: TestClient, session_id: str
    ) -> None:
        for body in (ACTION, {**ACTION, "session_id": session_id}):
            response = other_user.post(URL, json=body)
            assert (response.status_code, response.json()) == (404, not_found("monitor-42"))
        assert stored_actions(backend, session_id) == []

    @pytest.mark.parametrize("canvas_id", ["monitor-43", "x" * 129, "%00", "%5c", "%0a"])
    def test_missing_dashboard_is_not_found(self, http: TestClient, canvas_id: str) -> None:
        response = http.post(f"/api/canvas/{canvas_id}/actions", json=ACTION)

        assert (response.status_code, response.json()["error_code"]) == (404, "E_CANVAS_NOT_FOUND")

    def test_missing_session_is_not_found(self, http: TestClient, session_id: str) -> None:
        del session_id

        for invalid_id in ("nothing", "../x"):
            response = http.post(URL, json={**ACTION, "session_id": invalid_id})
            assert (response.status_code, response.json()["error_code"]) == (404, "E_SESSION_NOT_FOUND")
        assert http.post(URL, json={**ACTION, "session_id": random_id("s")}).json() == not_found("monitor-42")

    def test_action_in_an_ended_session_is_a_conflict(
        self, backend: Backend, http: TestClient, session_id: str
    ) -> None:
        http.delete(f"/api/sessions/{session_id}")

        response = http.post(URL, json=ACTION)

        assert (response.status_code, response.json()) == (
            409,
            problem(409, "Conflict", "E_SESSION_ENDED", "This session has ended.", session_id=session_id),
        )
        assert stored_actions(backend, session_id) == []

    def test_details_over_the_limit_are_rejected_with_the_limit(
        self, backend: Backend, http: TestClient, session_id: str
    ) -> None:
        longest = {"text": "x" * (MAX_DETAILS_BYTES - len(json.dumps({"text": ""})))}
        assert http.post(URL, json={"action": "a", "details": longest}).status_code == 201

        response = http.post(URL, json={"action": "a", "details": {"text": longest["text"] + "x"}})

        detail = f"The details may have at most {MAX_DETAILS_BYTES} bytes."
        expected = problem(413, "Too large", "E_TOO_LARGE", detail, limit_bytes=MAX_DETAILS_BYTES)
        assert (response.status_code, response.json()) == (413, expected)
        assert len(stored_actions(backend, session_id)) == 1

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"action": ""},
            {"action": None},
            {"action": 5},
            {"action": "x" * 201},
            {"action": "a", "details": []},
            {"action": "a", "details": "text"},
            {"action": "a", "details": None},
            {"action": "a", "session_id": 5},
        ],
    )
    def test_invalid_action_is_rejected_and_not_stored(
        self, backend: Backend, http: TestClient, session_id: str, body: object
    ) -> None:
        response = http.post(URL, json=body)

        assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")
        assert stored_actions(backend, session_id) == []

    def test_action_of_a_user_with_an_invalid_name_is_forbidden(self, backend: Backend) -> None:
        assert backend.client_for("../x").post(URL, json=ACTION).status_code == 403


class TestTokens:
    @pytest.fixture
    def turn_url(self, backend: Backend, api: ApiClient, session_id: str) -> str:
        """The URL of a turn in which a tool opened a dashboard that needs a token."""
        turn_id = TurnId(api.start_turn(session_id))
        turn = backend.turns.get(SessionId(session_id), turn_id)
        assert turn is not None
        call = make_call(turn)
        backend.calls.add([call])
        backend.calls.save_result(
            turn_id, call.call_id, CallResult(is_error=False, canvas=to_response_canvas(CANVAS_WITH_TOKEN))
        )
        return f"/api/sessions/{session_id}/turns/{turn_id}"

    def test_turn_has_a_new_token_instead_of_the_tools_token(self, api: ApiClient, turn_url: str) -> None:
        canvas = api.get_json(turn_url)["canvas"]

        assert canvas == {
            "open": True,
            "id": "monitor-42",
            "persistence": "session",
            "type": "iframe",
            "url": "https://dash.example/view",
            "title": "Live",
            "mode": None,
            "wants_token": True,
            "token": canvas["token"],
        }
        assert canvas["token"].count(".") == 2

    def test_canvas_token_downloads_no_file(self, api: ApiClient, http: TestClient, turn_url: str) -> None:
        file_key = api.upload("a.csv")["file_key"]
        token = api.get_json(turn_url)["canvas"]["token"]

        response = http.get(f"/api/files/download/{file_key}?token={token}")

        assert (response.status_code, response.json()["error_code"]) == (404, "E_FILE_NOT_FOUND")

    def test_canvas_token_does_not_sign_a_user_in(self, backend: Backend, api: ApiClient, turn_url: str) -> None:
        token = api.get_json(turn_url)["canvas"]["token"]

        response = backend.client_for(new_user()).post(f"{URL}?token={token}", json=ACTION)

        assert response.json() == not_found("monitor-42")

    def test_events_do_not_contain_the_token(
        self, backend: Backend, user: UserName, api: ApiClient, http: TestClient, turn_url: str
    ) -> None:
        _, _, _, session_id, _, turn_id = turn_url.split("/")
        token = api.get_json(turn_url)["canvas"]["token"]
        backend.complete_turn(user, session_id, turn_id)

        events = http.get(f"{turn_url}/events")

        assert events.json()["events"][-1]["response"]["canvas"]["wants_token"] is True
        assert token not in events.text
        assert '"token"' not in events.text
