import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import UserName
from tests.integration.aws.factories import random_id
from tests.integration.http.api_client import NO_TOKENS, ApiClient, problem, session_not_found
from tests.integration.http.backend import Backend


def expected_session(backend: Backend, session_id: str, **fields: object) -> dict[str, object]:
    now = backend.clock.now().isoformat().replace("+00:00", "Z")
    return {
        "session_id": session_id,
        "title": None,
        "model": None,
        "status": "active",
        "pinned": False,
        "archived": False,
        "temporary": False,
        "created_at": now,
        "last_used_at": now,
        "running_turn": None,
        "waits_for_user": False,
        "usage": NO_TOKENS,
        **fields,
    }


class TestStart:
    @pytest.mark.parametrize("body", [None, {}, {"title": None}])
    def test_body_is_optional(self, backend: Backend, http: TestClient, body: object) -> None:
        response = http.post("/api/sessions") if body is None else http.post("/api/sessions", json=body)

        assert response.status_code == 201
        assert response.json() == expected_session(backend, response.json()["session_id"])

    def test_session_has_the_requested_title(self, backend: Backend, http: TestClient) -> None:
        response = http.post("/api/sessions", json={"title": "Zahlen “2026” \U0001f4c8\x00"})

        assert response.json() == expected_session(
            backend, response.json()["session_id"], title="Zahlen “2026” \U0001f4c8\x00"
        )

    def test_temporary_session_is_not_listed_and_its_end_deletes_it(self, backend: Backend, http: TestClient) -> None:
        response = http.post("/api/sessions", json={"temporary": True})

        session_id = response.json()["session_id"]
        assert response.json() == expected_session(backend, session_id, temporary=True)
        assert http.get("/api/sessions").json()["sessions"] == []
        assert http.patch(f"/api/sessions/{session_id}", json={"temporary": False}).status_code == 422
        assert http.delete(f"/api/sessions/{session_id}").status_code == 204
        assert http.get(f"/api/sessions/{session_id}").status_code == 404

    def test_session_is_pinned_and_archived_and_keeps_its_title(self, backend: Backend, http: TestClient) -> None:
        session_id = http.post("/api/sessions", json={"title": "Sales"}).json()["session_id"]
        changed = http.patch(f"/api/sessions/{session_id}", json={"pinned": True})
        assert changed.json() == expected_session(backend, session_id, title="Sales", pinned=True)
        changed = http.patch(f"/api/sessions/{session_id}", json={"archived": True, "pinned": False})
        assert changed.json() == expected_session(backend, session_id, title="Sales", archived=True)

    def test_title_over_the_limit_is_rejected(self, http: TestClient) -> None:
        response = http.post("/api/sessions", json={"title": "x" * 201})

        assert response.status_code == 422
        assert response.json() == problem(
            422,
            "Invalid request",
            "E_INVALID_REQUEST",
            "body.title: String should have at most 200 characters",
            errors=[{"field": "body.title", "message": "String should have at most 200 characters"}],
        )

    def test_only_models_of_the_users_groups_are_accepted(self, backend: Backend, user: UserName) -> None:
        admin, other = backend.client_for(user, "admins"), backend.client_for(f"other-{user}")
        body = {"model": "careful", "instructions": "Be brief."}

        response = admin.post("/api/sessions", json=body)

        assert response.json() == expected_session(backend, response.json()["session_id"], model="careful")
        read = admin.get(f"/api/sessions/{response.json()['session_id']}").json()
        assert (read["model"], read["instructions"]) == ("careful", "Be brief.")
        for model in ("careful", "nonesuch"):
            response = other.post("/api/sessions", json={"model": model})
            detail = f"There is no such model: {model}. Available models: quick."
            assert response.json() == problem(
                422, "Invalid request", "E_UNKNOWN_MODEL", detail, model=model, models=["quick"]
            )


class TestChange:
    def test_patch_changes_only_the_fields_in_the_request(self, backend: Backend, user: UserName) -> None:
        http = backend.client_for(user, "admins")
        session_id = ApiClient(http).create_session(title="Numbers", instructions="Be brief.")

        response = http.patch(f"/api/sessions/{session_id}", json={"model": "careful"})
        assert (response.status_code, response.json()) == (
            200,
            expected_session(backend, session_id, title="Numbers", model="careful"),
        )
        http.patch(f"/api/sessions/{session_id}", json={"model": None, "instructions": None})

        read = ApiClient(http).get_json(f"/api/sessions/{session_id}")
        assert (read["title"], read["model"], read["instructions"]) == ("Numbers", None, None)

    def test_changed_model_is_used_by_the_next_turn(self, backend: Backend, user: UserName) -> None:
        api = ApiClient(backend.client_for(user, "admins"))
        session_id = api.create_session()
        first = api.start_turn(session_id)
        backend.complete_turn(user, session_id, first)
        api.http.patch(f"/api/sessions/{session_id}", json={"model": "careful"})
        second = api.start_turn(session_id)

        models = [api.get_json(f"/api/sessions/{session_id}/turns/{turn}")["model"] for turn in (first, second)]
        assert models == ["quick", "careful"]

    def test_patch_rejects_unknown_models_and_missing_or_ended_sessions(self, http: TestClient, api: ApiClient) -> None:
        session_id = api.create_session()
        response = http.patch(f"/api/sessions/{session_id}", json={"model": "careful"})
        assert (response.status_code, response.json()["error_code"]) == (422, "E_UNKNOWN_MODEL")

        missing = random_id("s")
        assert http.patch(f"/api/sessions/{missing}", json={}).json() == session_not_found(missing)

        http.delete(f"/api/sessions/{session_id}")
        assert http.patch(f"/api/sessions/{session_id}", json={"title": "x"}).json()["error_code"] == "E_SESSION_ENDED"

    def test_turn_is_rejected_if_the_user_may_no_longer_use_the_model(self, backend: Backend, user: UserName) -> None:
        session_id = ApiClient(backend.client_for(user, "admins")).create_session(model="careful")
        response = backend.client_for(user).post(f"/api/sessions/{session_id}/turns", json={"message": "hello"})
        assert (response.status_code, response.json()["error_code"]) == (422, "E_UNKNOWN_MODEL")


class TestList:
    def test_sessions_are_listed_newest_first_in_pages(
        self, backend: Backend, http: TestClient, api: ApiClient
    ) -> None:
        session_ids = []
        for _ in range(3):
            session_ids.append(api.create_session())
            backend.clock.advance(1)

        first = api.get_json("/api/sessions?limit=2")
        second = api.get_json(f"/api/sessions?limit=2&cursor={first['cursor']}")

        assert [session["session_id"] for session in first["sessions"] + second["sessions"]] == session_ids[::-1]
        assert second["cursor"] is None
        assert http.get("/api/sessions").json()["cursor"] is None

    def test_list_of_a_new_user_is_empty(self, http: TestClient) -> None:
        assert http.get("/api/sessions").json() == {"sessions": [], "cursor": None}

    @pytest.mark.parametrize("limit", ["0", "101", "-1", "x", "1.5", ""])
    def test_limit_out_of_range_is_rejected(self, http: TestClient, limit: str) -> None:
        response = http.get("/api/sessions", params={"limit": limit})

        assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")

    @pytest.mark.parametrize("cursor", ["", "x", "VFVSTiM=", "ÄÖ", "\x00", "a" * 2000])
    def test_invalid_cursor_is_rejected(self, http: TestClient, cursor: str) -> None:
        response = http.get("/api/sessions", params={"cursor": cursor})

        assert response.status_code == 422
        assert response.json() == problem(
            422,
            "Invalid request",
            "E_INVALID_REQUEST",
            "The cursor does not belong to this list.",
            cursor=cursor[:100],
        )

    def test_cursor_of_another_user_lists_only_own_sessions(
        self, http: TestClient, api: ApiClient, other_user: TestClient
    ) -> None:
        mine = [api.create_session(), api.create_session()]
        theirs = ApiClient(other_user)
        theirs.create_session()
        theirs.create_session()
        cursor = theirs.get_json("/api/sessions?limit=1")["cursor"]

        seen = http.get("/api/sessions", params={"cursor": cursor}).json()["sessions"]

        assert {session["session_id"] for session in seen} <= set(mine)


class TestRead:
    def test_session_has_its_turns_oldest_first(self, backend: Backend, user: UserName, api: ApiClient) -> None:
        session_id = api.create_session(title="Numbers")
        turns = []
        for message in ("first", "second"):
            turns.append(api.start_turn(session_id, message))
            backend.complete_turn(user, session_id, turns[-1], f"answer to {message}")
            backend.clock.advance(1)
        now = backend.clock.now().isoformat()
        third = api.start_turn(session_id, "third")

        read = api.get_json(f"/api/sessions/{session_id}")

        assert [turn["turn_id"] for turn in read["turns"]] == [*turns, third]
        assert read["turns"][0] == {
            "turn_id": turns[0],
            "status": "complete",
            "model": "quick",
            "message": "first",
            "files": [],
            "answer": "answer to first",
            "usage": NO_TOKENS,
            "error": None,
            "created_at": read["turns"][0]["created_at"],
            "ended_at": read["turns"][0]["created_at"],
            "imported": False,
            "after": None,
            "rating": None,
        }
        assert (read["title"], read["running_turn"], read["cursor"]) == ("Numbers", third, None)
        assert read["last_used_at"] == now.replace("+00:00", "Z")

    def test_turns_are_listed_in_pages(self, backend: Backend, user: UserName, api: ApiClient) -> None:
        session_id = api.create_session()
        turns = []
        for _ in range(3):
            turns.append(api.start_turn(session_id))
            backend.complete_turn(user, session_id, turns[-1])
            backend.clock.advance(1)

        first = api.get_json(f"/api/sessions/{session_id}?limit=2")
        second = api.get_json(f"/api/sessions/{session_id}?limit=2&cursor={first['cursor']}")

        assert [turn["turn_id"] for turn in first["turns"] + second["turns"]] == turns

    def test_session_of_another_user_gives_the_error_of_a_missing_one(
        self, api: ApiClient, other_user: TestClient
    ) -> None:
        for session_id in (api.create_session(), random_id("s")):
            response = other_user.get(f"/api/sessions/{session_id}")
            assert (response.status_code, response.json()) == (404, session_not_found(session_id))

    def test_deletion_of_a_session_of_another_user_is_like_that_of_a_missing_one(
        self, api: ApiClient, other_user: TestClient
    ) -> None:
        session_id = api.create_session()
        responses = [other_user.delete(f"/api/sessions/{each}") for each in (session_id, random_id("s"))]
        assert {(response.status_code, response.content) for response in responses} == {(204, b"")}
        assert api.get_json(f"/api/sessions/{session_id}")["status"] == "active"

    @pytest.mark.parametrize(
        "session_id", ["x", "t01kabcdefghjkmnpqrstvwxyz0", "S01KABCDEFGHJKMNPQRSTVWXYZ0", "s" * 300]
    )
    def test_invalid_session_id_is_not_found(self, http: TestClient, session_id: str) -> None:
        response = http.get(f"/api/sessions/{session_id}")

        assert (response.status_code, response.json()) == (404, session_not_found(session_id[:100]))


class TestEnd:
    def test_end_is_safe_to_repeat_and_the_session_stays_readable(self, http: TestClient, api: ApiClient) -> None:
        session_id = api.create_session()

        for _ in range(2):
            response = http.delete(f"/api/sessions/{session_id}")
            assert (response.status_code, response.content) == (204, b"")

        assert api.get_json(f"/api/sessions/{session_id}")["status"] == "ended"

    def test_ended_session_accepts_no_turns(self, http: TestClient, api: ApiClient) -> None:
        session_id = api.create_session()
        http.delete(f"/api/sessions/{session_id}")

        response = http.post(f"/api/sessions/{session_id}/turns", json={"message": "hello"})

        assert response.status_code == 409
        assert response.json() == problem(
            409, "Conflict", "E_SESSION_ENDED", "This session has ended.", session_id=session_id
        )

    def test_end_cancels_the_running_turn(self, backend: Backend, http: TestClient, api: ApiClient) -> None:
        session_id = api.create_session()
        turn_id = api.start_turn(session_id)

        assert http.delete(f"/api/sessions/{session_id}").status_code == 204

        assert api.get_json(f"/api/sessions/{session_id}/turns/{turn_id}")["status"] == "cancelled"
        assert (turn_id, "cancelled by the user") in backend.workflow.stopped

    def test_end_invalidates_links_but_keeps_the_files(self, http: TestClient, api: ApiClient) -> None:
        session_id = api.create_session()
        uploaded = api.upload("a.csv", session_id=session_id)
        assert http.get(uploaded["download_url"]).status_code == 200

        http.delete(f"/api/sessions/{session_id}")

        assert http.get(uploaded["download_url"]).status_code == 404
        again = api.get_json(f"/api/files/{uploaded['file_key']}")
        assert http.get(again["download_url"]).status_code == 200
