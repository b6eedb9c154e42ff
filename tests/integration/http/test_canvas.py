import json
import logging
from collections.abc import Callable
from typing import ClassVar
from urllib.parse import quote

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet
from starlette.testclient import TestClient

from satchel.adapters.dynamodb.dashboards import DynamoDashboards
from satchel.adapters.dynamodb.requests import DynamoRequestKeys
from satchel.adapters.dynamodb.table import Query
from satchel.contract import Canvas
from satchel.domain.calls import RunnerReport
from satchel.domain.canvas import MAX_DETAILS_BYTES, CanvasAction
from satchel.domain.ids import CanvasId, SessionId, TurnId, UserName
from satchel.domain.sessions import Turn
from satchel.domain.steps import CallStep
from tests.integration.aws.factories import make_call, new_user, random_id
from tests.integration.aws.stored_steps import add_calls
from tests.integration.http.api_client import ApiClient, problem
from tests.integration.http.backend import Backend, make_client
from tests.integration.http.crashes import crash_once

URL = "/api/canvas/monitor-42/actions"
ACTION = {"action": "acknowledge", "details": {"alert": 17}}


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

    def test_user_in_the_request_is_refused(self, backend: Backend, http: TestClient, session_id: str) -> None:
        response = http.post(URL, json={**ACTION, "user": "mallory@example.com"})

        assert response.status_code == 422
        assert stored_actions(backend, session_id) == []

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


class TestRepeatedActions:
    KEY: ClassVar = {"Idempotency-Key": "k1"}

    def test_action_is_recorded_once(self, backend: Backend, http: TestClient, session_id: str) -> None:
        first, second = (http.post(URL, json=ACTION, headers=self.KEY) for _ in range(2))

        assert (first.status_code, second.status_code) == (201, 201)
        assert second.json() == first.json()
        assert len(stored_actions(backend, session_id)) == 1

    @pytest.mark.parametrize("before", [True, False])
    @pytest.mark.parametrize("write", [(DynamoDashboards, "add_action"), (DynamoRequestKeys, "finish")])
    def test_action_is_recorded_once_after_a_crash(
        self,
        backend: Backend,
        http: TestClient,
        session_id: str,
        monkeypatch: pytest.MonkeyPatch,
        *,
        write: tuple[type, str],
        before: bool,
    ) -> None:
        with monkeypatch.context() as patch:
            crash_once(patch, *write, before=before)
            assert http.post(URL, json=ACTION, headers=self.KEY).status_code == 500
        backend.clock.advance(61)

        repeated = http.post(URL, json=ACTION, headers=self.KEY)

        assert repeated.status_code == 201
        assert stored_actions(backend, session_id) == [CanvasAction.model_validate(repeated.json())]

    def test_other_action_with_the_key_is_refused(self, backend: Backend, http: TestClient, session_id: str) -> None:
        http.post(URL, json=ACTION, headers=self.KEY)

        response = http.post(URL, json={**ACTION, "action": "dismiss"}, headers=self.KEY)

        assert (response.status_code, response.json()["error_code"]) == (409, "E_IDEMPOTENCY_KEY_REUSED")
        assert len(stored_actions(backend, session_id)) == 1

    def test_action_of_a_deleted_conversation_is_not_found(self, http: TestClient, session_id: str) -> None:
        http.post(URL, json=ACTION, headers=self.KEY)
        http.delete(f"/api/conversations/{session_id}")

        response = http.post(URL, json=ACTION, headers=self.KEY)

        assert (response.status_code, response.json()) == (404, not_found("monitor-42"))


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
    def turn(self, backend: Backend, api: ApiClient, session_id: str) -> Turn:
        turn = backend.turns.get(SessionId(session_id), TurnId(api.start_turn(session_id)))
        assert turn is not None
        return turn

    @pytest.fixture
    def open_dashboard(self, backend: Backend, turn: Turn) -> Callable[[str], str]:
        """Return a function that records a tool's dashboard with this token, and returns the URL of the turn."""

        def record(token: str) -> str:
            call = make_call(turn)
            add_calls(backend.table, backend.store, [call])
            canvas = Canvas(id="monitor-42", url="https://dash.example/view", title="Live", token=token)
            report = RunnerReport(results={"status": "opened"}, canvas=canvas)
            backend.reports.save(call, report)
            ids = call.model_dump(include={"user", "session_id", "turn_id", "call_id"})
            backend.use_cases.record_tool_result(CallStep(**ids))
            return f"/api/sessions/{turn.session_id}/turns/{turn.turn_id}"

        return record

    @pytest.mark.clause("v2:canvas:token")
    def test_host_of_the_dashboard_verifies_the_token_with_the_published_key(
        self, backend: Backend, api: ApiClient, user: UserName, turn: Turn, open_dashboard: Callable[[str], str]
    ) -> None:
        canvas = api.get_json(open_dashboard(""))["canvas"]
        keys = KeySet.import_key_set(make_client(backend.local_app).get("/.well-known/jwks.json").json())

        token = jwt.decode(canvas["token"], keys, algorithms=["ES256"])

        now = int(backend.clock.now().timestamp())
        assert token.header == {"alg": "ES256", "kid": backend.dashboard_signer.keys[0], "typ": "JWT"}
        assert token.claims == {
            "iss": "http://api.example",
            "aud": "https://dash.example",
            "sub": user,
            "sid": turn.session_id,
            "canvas_id": "monitor-42",
            "iat": now,
            "exp": now + 300,
            "jti": token.claims["jti"],
        }
        assert {**canvas, "token": None} == {
            "open": True,
            "id": "monitor-42",
            "persistence": "session",
            "type": "iframe",
            "url": "https://dash.example/view",
            "title": "Live",
            "mode": None,
            "wants_token": True,
            "token": None,
        }

    def test_public_keys_need_no_sign_in_and_may_be_cached_for_five_minutes(self, backend: Backend) -> None:
        response = make_client(backend.local_app, {"X-Satchel-User": "../root"}).get("/.well-known/jwks.json")

        assert (response.status_code, response.headers["cache-control"]) == (200, "public, max-age=300")
        [key] = response.json()["keys"]
        assert key.keys() == {"kid", "kty", "crv", "alg", "use", "x", "y"}

    @pytest.mark.clause("v2:canvas:tool-token")
    def test_owner_of_the_turn_gets_the_tools_own_token(
        self, api: ApiClient, open_dashboard: Callable[[str], str]
    ) -> None:
        assert api.get_json(open_dashboard("own-token"))["canvas"]["token"] == "own-token"

    @pytest.mark.clause("v2:canvas:tool-token")
    def test_tools_own_token_is_in_no_other_response_and_in_no_record_of_the_session(
        self,
        backend: Backend,
        user: UserName,
        api: ApiClient,
        http: TestClient,
        other_user: TestClient,
        turn: Turn,
        open_dashboard: Callable[[str], str],
    ) -> None:
        url = open_dashboard("own-token")
        backend.complete_turn(user, turn.session_id, turn.turn_id)
        session = f"/api/sessions/{turn.session_id}"

        paths = [f"{url}/events", session, f"{session}/audit", "/api/files", "/api/sessions"]
        texts = [http.get(path).text for path in paths] + [other_user.get(url).text]

        assert [path for path, text in zip([*paths, "other"], texts, strict=True) if "own-token" in text] == []
        items, _ = backend.table.query(Query(f"SESSION#{turn.session_id}", ""))
        assert items
        assert "own-token" not in repr(items)
        response = api.get_json(url)
        assert "own-token" not in repr({**response, "canvas": None, "canvases": []})

    def test_canvas_token_downloads_no_file(
        self, api: ApiClient, http: TestClient, open_dashboard: Callable[[str], str]
    ) -> None:
        file_key = api.upload("a.csv")["file_key"]
        token = api.get_json(open_dashboard(""))["canvas"]["token"]

        response = http.get(f"/api/files/download/{file_key}?token={token}")

        assert (response.status_code, response.json()["error_code"]) == (404, "E_FILE_NOT_FOUND")

    def test_canvas_token_does_not_sign_a_user_in(
        self, backend: Backend, api: ApiClient, open_dashboard: Callable[[str], str]
    ) -> None:
        token = api.get_json(open_dashboard(""))["canvas"]["token"]

        response = backend.client_for(new_user()).post(f"{URL}?token={token}", json=ACTION)

        assert response.json() == not_found("monitor-42")

    @pytest.mark.parametrize("tool_token", ["", "own-token"])
    def test_events_do_not_contain_the_token(
        self,
        backend: Backend,
        user: UserName,
        api: ApiClient,
        http: TestClient,
        turn: Turn,
        open_dashboard: Callable[[str], str],
        tool_token: str,
    ) -> None:
        turn_url = open_dashboard(tool_token)
        token = api.get_json(turn_url)["canvas"]["token"]
        backend.complete_turn(user, turn.session_id, turn.turn_id)

        events = http.get(f"{turn_url}/events")

        canvas = events.json()["events"][-1]["response"]["canvas"]
        assert (canvas["wants_token"], canvas["token"]) == (True, None)
        assert token not in events.text
