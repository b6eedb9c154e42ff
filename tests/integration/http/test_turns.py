import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import SessionId, TurnId, UserName
from tests.integration.aws.factories import random_id
from tests.integration.http.api_client import (
    NO_TOKENS,
    ApiClient,
    file_not_found,
    problem,
    session_not_found,
    turn_not_found,
)
from tests.integration.http.backend import MAX_MESSAGE, Backend


@pytest.fixture
def session_id(api: ApiClient) -> str:
    return api.create_session()


def expected_response(session_id: str, turn_id: str, **fields: object) -> dict[str, object]:
    return {
        "turn_id": turn_id,
        "session_id": session_id,
        "status": "running",
        "message": str(fields.get("message", "")),
        "answer": str(fields.get("message", "")),
        "model": "quick",
        "usage": NO_TOKENS,
        "artifacts": [],
        "deferred_artifacts": [],
        "display": {
            "open_canvas": False,
            "primary_file": None,
            "mode": None,
            "viewer_hint": None,
            "storage_action": "store",
            "category_hint": None,
            "notification": None,
        },
        "canvas": None,
        "canvases": [],
        "tool_calls": [],
        "inputs": [],
        "imported": False,
        "error": None,
        **fields,
    }


class TestStart:
    def test_accepted_turn_has_urls_of_turn_and_events(
        self, backend: Backend, http: TestClient, user: UserName, session_id: str
    ) -> None:
        response = http.post(f"/api/sessions/{session_id}/turns", json={"message": "hello"})

        assert response.status_code == 202
        turn_id = response.json()["turn_id"]
        url = f"/api/sessions/{session_id}/turns/{turn_id}"
        assert response.json() == {
            "turn_id": turn_id,
            "session_id": session_id,
            "status": "running",
            "turn_url": url,
            "events_url": f"{url}/events",
        }
        assert (user, session_id, turn_id) in backend.workflow.started
        assert "preference-applied" not in response.headers

    def test_turn_stores_the_requested_tools_and_files(self, backend: Backend, api: ApiClient, session_id: str) -> None:
        key = api.upload("a.csv", session_id=session_id)["file_key"]

        turn_id = api.start_turn(session_id, tools=["report", "report.summarise"], files=["a.csv", key])

        turn = backend.turns.get(SessionId(session_id), TurnId(turn_id))
        assert turn is not None
        assert (turn.tools, turn.files) == (["report", "report.summarise"], [key, key])

    def test_second_turn_is_a_conflict_while_the_first_is_running(
        self, http: TestClient, api: ApiClient, session_id: str
    ) -> None:
        turn_id = api.start_turn(session_id)

        response = http.post(f"/api/sessions/{session_id}/turns", json={"message": "again"})

        assert response.status_code == 409
        assert response.json() == problem(
            409, "Conflict", "E_TURN_RUNNING", "A turn is still running in this session.", turn_id=turn_id
        )

    def test_turn_in_another_users_or_a_missing_session_is_not_found(
        self, api: ApiClient, other_user: TestClient
    ) -> None:
        for session_id in (api.create_session(), random_id("s")):
            response = other_user.post(f"/api/sessions/{session_id}/turns", json={"message": "hello"})
            assert (response.status_code, response.json()) == (404, session_not_found(session_id))

    @pytest.mark.parametrize("tool", ["report.other", "vault", "vault.open", "", "nothing", "report."])
    def test_tools_that_the_user_may_not_use_are_rejected(self, http: TestClient, session_id: str, tool: str) -> None:
        body = {"message": "hello", "tools": ["report", tool]}

        response = http.post(f"/api/sessions/{session_id}/turns", json=body)

        assert response.status_code == 422
        assert response.json() == problem(
            422, "Invalid request", "E_UNKNOWN_TOOL", f"There is no such tool or server: {tool}", unknown=[tool]
        )

    @pytest.mark.parametrize("name", ["missing.csv", "../../x", "..\\x", "", "\x00", "f01kabcdefghjkmnpqrstvwxyz0"])
    def test_missing_file_is_not_found(self, http: TestClient, session_id: str, name: str) -> None:
        response = http.post(f"/api/sessions/{session_id}/turns", json={"message": "hello", "files": [name]})

        assert (response.status_code, response.json()) == (404, file_not_found(name))

    def test_file_of_another_user_is_not_found(self, http: TestClient, session_id: str, other_user: TestClient) -> None:
        others_file = ApiClient(other_user).upload("theirs.csv")

        for name in (others_file["file_key"], "theirs.csv"):
            response = http.post(f"/api/sessions/{session_id}/turns", json={"message": "hello", "files": [name]})
            assert (response.status_code, response.json()) == (404, file_not_found(name))

    def test_message_over_the_limit_is_rejected(self, http: TestClient, session_id: str) -> None:
        response = http.post(f"/api/sessions/{session_id}/turns", json={"message": "x" * 1_000_000})

        assert response.status_code == 413
        assert response.json() == problem(
            413,
            "Too large",
            "E_TOO_LARGE",
            "The message has 1000000 bytes; 100000 are allowed. Send long text as a file.",
            limit_bytes=MAX_MESSAGE,
        )

    @pytest.mark.parametrize("text", ["x", "ä", "\U0001f4c8", '"', "\\", "\n"])
    def test_message_of_exactly_the_limit_is_accepted_with_any_characters(
        self, backend: Backend, user: UserName, api: ApiClient, session_id: str, text: str
    ) -> None:
        message = text * (MAX_MESSAGE // len(text.encode()))

        turn_id = api.start_turn(session_id, message)
        backend.complete_turn(user, session_id, turn_id)

        assert api.get_json(f"/api/sessions/{session_id}")["turns"][0]["message"] == message

    def test_control_characters_count_by_their_size_in_json(self, http: TestClient, session_id: str) -> None:
        """JSON needs six bytes for each control character, and a DynamoDB item has at most 400 KB."""
        response = http.post(f"/api/sessions/{session_id}/turns", json={"message": "\x00" * MAX_MESSAGE})

        assert (response.status_code, response.json()["error_code"]) == (413, "E_TOO_LARGE")

    @pytest.mark.parametrize("field", ["tools", "files"])
    def test_too_many_tools_or_files_are_rejected(
        self, http: TestClient, api: ApiClient, session_id: str, field: str
    ) -> None:
        name = {"tools": "report", "files": api.upload("a.csv")["file_key"]}[field]

        response = http.post(f"/api/sessions/{session_id}/turns", json={"message": "hello", field: [name] * 20_000})

        assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")


class TestPreferWait:
    def test_wait_returns_the_final_response_of_a_turn_that_ends_in_time(
        self, backend: Backend, http: TestClient, session_id: str
    ) -> None:
        backend.workflow.on_start = backend.complete_turn

        response = http.post(
            f"/api/sessions/{session_id}/turns", json={"message": "hello"}, headers={"Prefer": "wait=5"}
        )

        assert response.status_code == 200
        assert response.json() == expected_response(
            session_id, response.json()["turn_id"], status="complete", message="done"
        )
        assert response.headers["preference-applied"] == "wait=5"
        assert response.headers["content-type"] == "application/json"

    def test_wait_returns_accepted_if_the_turn_takes_longer(self, http: TestClient, session_id: str) -> None:
        response = http.post(
            f"/api/sessions/{session_id}/turns", json={"message": "hello"}, headers={"Prefer": "respond-async, wait=1"}
        )

        assert (response.status_code, response.json()["status"]) == (202, "running")
        assert response.headers["preference-applied"] == "wait=1"

    def test_wait_ends_when_the_server_closes(self, backend: Backend, http: TestClient, session_id: str) -> None:
        backend.closing = True

        response = http.post(
            f"/api/sessions/{session_id}/turns", json={"message": "hello"}, headers={"Prefer": "wait=25"}
        )

        assert response.status_code == 202

    @pytest.mark.parametrize("prefer", ["", "wait", "wait=x", "wait=-1", "wait=0", "return=minimal"])
    def test_other_preferences_do_not_wait(self, http: TestClient, session_id: str, prefer: str) -> None:
        response = http.post(f"/api/sessions/{session_id}/turns", json={"message": "hello"}, headers={"Prefer": prefer})

        assert response.status_code == 202
        assert "preference-applied" not in response.headers


class TestIdempotencyKey:
    def send(
        self, http: TestClient, session_id: str, key: str, message: str = "hello"
    ) -> tuple[int, dict[str, object]]:
        response = http.post(
            f"/api/sessions/{session_id}/turns", json={"message": message}, headers={"Idempotency-Key": key}
        )
        return response.status_code, response.json()

    def test_repeated_key_returns_the_same_turn_started_once(
        self, backend: Backend, http: TestClient, session_id: str
    ) -> None:
        first, second = (self.send(http, session_id, "once") for _ in range(2))

        assert first == second
        assert [start for start in backend.workflow.started if start[1] == session_id] == [
            (http.headers["X-Satchel-User"], session_id, first[1]["turn_id"]),
        ]

    def test_repeated_key_after_the_end_returns_the_final_response(
        self, backend: Backend, http: TestClient, user: UserName, session_id: str
    ) -> None:
        _, accepted = self.send(http, session_id, "once")
        turn_id = str(accepted["turn_id"])
        backend.complete_turn(user, session_id, turn_id)

        assert self.send(http, session_id, "once") == (
            200,
            expected_response(session_id, turn_id, status="complete", message="done"),
        )

    def test_repeated_key_with_another_message_is_a_conflict(self, http: TestClient, session_id: str) -> None:
        _, accepted = self.send(http, session_id, "once")

        assert self.send(http, session_id, "once", "another") == (
            409,
            problem(
                409,
                "Conflict",
                "E_IDEMPOTENCY_KEY_REUSED",
                "This Idempotency-Key was used for another message.",
                turn_id=accepted["turn_id"],
            ),
        )

    def test_key_over_the_limit_is_rejected(self, http: TestClient, session_id: str) -> None:
        assert self.send(http, session_id, "k" * 201)[0] == 422


class TestRead:
    def test_turn_is_read_while_running_and_after_its_end(
        self, backend: Backend, user: UserName, api: ApiClient, session_id: str
    ) -> None:
        turn_id = api.start_turn(session_id)
        url = f"/api/sessions/{session_id}/turns/{turn_id}"

        assert api.get_json(url) == expected_response(session_id, turn_id)
        backend.complete_turn(user, session_id, turn_id, "grün")
        assert api.get_json(url) == expected_response(session_id, turn_id, status="complete", message="grün")

    def test_reading_ends_a_turn_without_an_execution(self, backend: Backend, api: ApiClient, session_id: str) -> None:
        turn_id = api.start_turn(session_id)
        backend.workflow.lose_execution(TurnId(turn_id))
        backend.clock.advance(16)

        read = api.get_json(f"/api/sessions/{session_id}/turns/{turn_id}")

        assert (read["status"], read["error"]["error_code"]) == ("failed", "E_TURN_FAILED")
        api.start_turn(session_id)

    @pytest.mark.parametrize(("verb", "tail"), [("GET", ""), ("DELETE", ""), ("GET", "/events")])
    def test_turn_of_another_user_or_session_is_not_found(
        self, http: TestClient, api: ApiClient, other_user: TestClient, session_id: str, verb: str, tail: str
    ) -> None:
        turn_id, other, none = api.start_turn(session_id), api.create_session(), random_id("t")

        def send(client: TestClient, session: str, turn: str) -> tuple[int, object]:
            response = client.request(verb, f"/api/sessions/{session}/turns/{turn}{tail}")
            return response.status_code, response.json()

        assert send(other_user, session_id, turn_id) == (404, session_not_found(session_id))
        assert send(http, other, turn_id) == (404, turn_not_found(turn_id))
        assert send(http, session_id, none) == (404, turn_not_found(none))
        assert send(http, session_id, "x") == (404, turn_not_found("x"))


class TestCancel:
    def test_cancel_ends_the_turn_and_stops_its_execution(
        self, backend: Backend, http: TestClient, api: ApiClient, session_id: str
    ) -> None:
        turn_id = api.start_turn(session_id)

        response = http.delete(f"/api/sessions/{session_id}/turns/{turn_id}")

        assert response.status_code == 200
        assert response.json() == expected_response(
            session_id,
            turn_id,
            status="cancelled",
            error={"error_code": "E_CANCELLED", "message": "The turn was cancelled."},
        )
        assert not backend.workflow.is_running(TurnId(turn_id))
        api.start_turn(session_id)

    def test_cancel_does_not_change_an_ended_turn(
        self, backend: Backend, http: TestClient, user: UserName, api: ApiClient, session_id: str
    ) -> None:
        turn_id = api.start_turn(session_id)
        backend.complete_turn(user, session_id, turn_id)

        response = http.delete(f"/api/sessions/{session_id}/turns/{turn_id}")

        assert (response.status_code, response.json()["status"]) == (200, "complete")
