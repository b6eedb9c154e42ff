"""The signed-in user: usage, and the confirmation that deleting all data needs."""

import pytest
from starlette.testclient import TestClient

from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.domain.ids import SessionId, UserName
from satchel.domain.links import EraseClaims
from tests.integration.aws.recorded_requests import record_requests
from tests.integration.http.api_client import ApiClient, problem
from tests.integration.http.backend import Backend
from tests.integration.http.erasure import find_data, request_erasure

NOT_CONFIRMED = problem(
    422,
    "Invalid request",
    "E_NOT_CONFIRMED",
    "This confirmation is invalid or has expired. Repeat the request without it to get a new one.",
)


class TestRead:
    def test_me_returns_the_user_and_the_usage(self, api: ApiClient, user: UserName) -> None:
        api.upload("a.csv", b"12345")
        api.upload("a.csv", b"123")

        assert api.get_json("/api/me") == {
            "user": user,
            "groups": ["users"],
            "usage": {"bytes": 8, "count": 1},
            "quotas": {
                "open_sessions": {"limit": 1000, "used": 0, "resets_at": None},
                "turns_per_minute": {"limit": 120, "used": 0, "resets_at": "2026-03-01T12:01:00Z"},
                "running_calls": {"limit": 32, "used": 0, "resets_at": None},
                "uploads": {"limit": 100, "used": 0, "resets_at": None},
                "stored_bytes": {"limit": 500 << 30, "used": 8, "resets_at": None},
            },
            "erasure": None,
        }

    def test_me_costs_two_queries_and_two_reads(self, backend: Backend, api: ApiClient) -> None:
        with record_requests(backend.table.client) as requests:
            api.get_json("/api/me")

        assert sorted(name for name, _ in requests) == ["BatchGetItem", "GetItem", "Query", "Query"]


class TestSettings:
    def test_new_sessions_have_the_instructions_that_are_set_when_they_start(
        self, backend: Backend, api: ApiClient, http: TestClient, user: UserName
    ) -> None:
        first = api.create_session()
        assert api.get_json("/api/me/settings") == {"instructions": None}
        assert http.put("/api/me/settings", json={"instructions": " Be brief. "}).status_code == 204
        assert api.get_json("/api/me/settings") == {"instructions": "Be brief."}
        second = api.create_session()
        sessions = DynamoSessions(backend.table).get_many(user, [SessionId(first), SessionId(second)])
        assert [sessions[each].user_instructions for each in (first, second)] == [None, "Be brief."]

    def test_other_users_have_their_own_settings(self, http: TestClient, other_user: TestClient) -> None:
        http.put("/api/me/settings", json={"instructions": "Be brief."})
        assert other_user.get("/api/me/settings").json() == {"instructions": None}

    def test_blank_instructions_and_null_remove_them(self, api: ApiClient, http: TestClient) -> None:
        for empty in (" ", None):
            http.put("/api/me/settings", json={"instructions": "Be brief."})
            assert http.put("/api/me/settings", json={"instructions": empty}).status_code == 204
            assert api.get_json("/api/me/settings") == {"instructions": None}

    def test_instructions_over_the_limit_are_rejected(self, http: TestClient) -> None:
        assert http.put("/api/me/settings", json={"instructions": "x" * 4_000}).status_code == 204
        assert http.put("/api/me/settings", json={"instructions": "x" * 4_001}).status_code == 422


class TestConfirmation:
    def test_first_request_deletes_nothing(self, backend: Backend, api: ApiClient, user: UserName) -> None:
        api.upload("a.csv", session_id=api.create_session())
        before = find_data(backend, user)

        response = request_erasure(api.http)

        assert response.status_code == 200
        assert response.json()["usage"] == {"bytes": 8, "count": 1}
        assert find_data(backend, user) == before
        assert user not in backend.erasure_starter.started

    def test_confirmation_token_is_valid_for_five_minutes(self, backend: Backend, http: TestClient) -> None:
        token = request_erasure(http).json()["confirm_token"]

        backend.clock.advance(299)
        assert request_erasure(http, token).status_code == 202
        backend.clock.advance(1)
        assert (request_erasure(http, token).status_code, request_erasure(http, token).json()) == (422, NOT_CONFIRMED)

    def test_confirmation_token_of_another_user_is_rejected(
        self, backend: Backend, http: TestClient, other_user: TestClient, user: UserName
    ) -> None:
        response = request_erasure(http, request_erasure(other_user).json()["confirm_token"])

        assert (response.status_code, response.json()) == (422, NOT_CONFIRMED)
        assert backend.erasures.get(user) is None

    @pytest.mark.parametrize("token", ["x", "a.b.c", "." * 4000])
    def test_invalid_confirmation_token_is_rejected(self, http: TestClient, token: str) -> None:
        assert request_erasure(http, token).json() == NOT_CONFIRMED

    def test_token_of_a_link_confirms_nothing(self, http: TestClient, api: ApiClient) -> None:
        token = api.upload("a.csv")["download_url"].partition("token=")[2]

        assert request_erasure(http, token).json() == NOT_CONFIRMED

    def test_confirmation_token_opens_no_file(
        self, backend: Backend, api: ApiClient, user: UserName, anonymous: TestClient
    ) -> None:
        key = api.upload("a.csv")["file_key"]
        token = backend.signer.sign(EraseClaims(owner=user, exp=int(backend.clock.now().timestamp()) + 60))

        assert anonymous.get(f"/api/files/download/{key}?token={token}").status_code == 404
