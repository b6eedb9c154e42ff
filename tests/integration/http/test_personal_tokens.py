"""Personal tokens: made, listed, used and revoked, and every way in which one must not work."""

import base64
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from local.emulator.access_checks import KeyCheck
from local.emulator.sign_in.gateway import identity_from_session
from satchel.domain.ids import UserName
from satchel.entrypoints.http.identity import identity_from_claims, identity_from_headers
from tests.fakes.accounts import CLIENT, PASSWORD, sign_in_parts
from tests.integration.aws.factories import new_user
from tests.integration.http.api_client import problem
from tests.integration.http.backend import Backend, make_client
from tests.integration.http.erasure import confirm_erasure, run_erasure

REFUSED = problem(
    401, "Unauthorized", "E_UNAUTHORIZED", "The personal token is missing or wrong, has expired or was revoked."
)
BY_SIGN_IN_ONLY = problem(403, "Forbidden", "E_FORBIDDEN", "A personal token cannot be used for this: sign in.")
BY_TOKEN = "/api/by-token"


def create(http: TestClient, name: str = "Open WebUI", **fields: object) -> dict[str, Any]:
    response = http.post("/api/me/tokens", json={"name": name, **fields})
    assert response.status_code == 201, response.text
    created: dict[str, Any] = response.json()
    return created


def listed(http: TestClient) -> list[dict[str, Any]]:
    tokens: list[dict[str, Any]] = http.get("/api/me/tokens").json()["tokens"]
    return tokens


def with_token(backend: Backend, token: str, **headers: str) -> TestClient:
    """Return a client of the deployed API that has only a token."""
    return make_client(backend.app(identity_from_claims("email")), {"Authorization": f"Bearer {token}", **headers})


def outcome(client: TestClient, path: str = "/api/me") -> tuple[int, Any]:
    response = client.get(path)
    return response.status_code, response.json()


def change(text: str, part: int, value: str) -> str:
    parts = text.removeprefix("satchel_").split(".")
    parts[part] = value
    return "satchel_" + ".".join(parts)


def encoded(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")


class TestManagement:
    def test_text_of_a_token_is_returned_once_and_only_its_hash_is_stored(
        self, backend: Backend, http: TestClient, user: UserName
    ) -> None:
        created = create(http, " Open WebUI ", ttl_days=30)

        text = created.pop("token")
        now = backend.clock.now()
        assert created == {
            "token_id": created["token_id"],
            "name": "Open WebUI",
            "created_at": now.isoformat().replace("+00:00", "Z"),
            "expires_at": (now + timedelta(days=30)).isoformat().replace("+00:00", "Z"),
            "last_used_at": None,
        }
        assert listed(http) == [created]
        items = backend.table.query_all(f"USER#{user}", "TOKEN#")
        assert len(items) == 1
        assert text.rpartition(".")[2] not in str(items)

    def test_tokens_are_listed_newest_first_and_only_to_their_user(
        self, backend: Backend, http: TestClient, other_user: TestClient
    ) -> None:
        for name in ("first", "second"):
            create(http, name)
            backend.clock.advance(1)
        assert [token["name"] for token in listed(http)] == ["second", "first"]
        assert listed(other_user) == []

    @pytest.mark.parametrize(
        "body", [{}, {"name": " "}, {"name": "x" * 101}, {"name": "x", "ttl_days": 0}, {"name": "x", "ttl_days": 366}]
    )
    def test_invalid_token_is_rejected(self, http: TestClient, body: dict[str, Any]) -> None:
        assert http.post("/api/me/tokens", json=body).status_code == 422
        assert listed(http) == []

    def test_only_twenty_tokens_are_valid_even_if_requests_run_at_the_same_time(self, http: TestClient) -> None:
        for number in range(17):
            create(http, f"{number}")

        def try_to_create(number: int) -> int:
            return http.post("/api/me/tokens", json={"name": f"{number}"}).status_code

        with ThreadPoolExecutor(6) as threads:
            statuses = sorted(threads.map(try_to_create, range(6)))

        assert statuses == [201, 201, 201, 429, 429, 429]
        assert len(listed(http)) == 20
        refused = http.post("/api/me/tokens", json={"name": "x"}).json()
        assert (refused["error_code"], refused["quota"]) == ("E_QUOTA_EXCEEDED", "personal_tokens")
        http.delete(f"/api/me/tokens/{listed(http)[0]['token_id']}")
        create(http)

    def test_expired_tokens_are_not_listed_and_free_their_place(self, backend: Backend, http: TestClient) -> None:
        for _ in range(20):
            create(http, ttl_days=1)
        backend.clock.advance(86_400)
        assert listed(http) == []
        assert [token["name"] for token in [create(http, "new")]] == [token["name"] for token in listed(http)]

    def test_erasure_deletes_the_tokens_and_refuses_new_ones_while_it_runs(
        self, backend: Backend, http: TestClient, user: UserName
    ) -> None:
        token = create(http)["token"]
        confirm_erasure(http)
        response = http.post("/api/me/tokens", json={"name": "x"})
        assert (response.status_code, response.json()["error_code"]) == (409, "E_ERASING")
        run_erasure(backend, user)
        assert outcome(with_token(backend, token)) == (401, REFUSED)
        assert listed(http) == []


class TestUse:
    @pytest.mark.parametrize("prefix", ["", BY_TOKEN])
    def test_request_acts_as_the_user_with_the_groups_of_the_sign_in(self, backend: Backend, prefix: str) -> None:
        user = new_user()
        token = create(backend.client_for(user, "admins"))["token"]

        me = with_token(backend, token).get(f"{prefix}/api/me").json()

        assert (me["user"], me["groups"]) == (user, ["admins", "users"])

    def test_other_user_of_the_identity_header_is_ignored(
        self, backend: Backend, user: UserName, http: TestClient
    ) -> None:
        token = create(http)["token"]
        client = backend.client_for(new_user(), "admins")
        client.headers["Authorization"] = f"Bearer {token}"

        me = client.get("/api/me").json()

        assert (me["user"], me["groups"]) == (user, ["users"])

    def test_session_file_and_download_work_below_the_address_for_tokens(
        self, backend: Backend, http: TestClient
    ) -> None:
        client = with_token(backend, create(http)["token"])
        session = client.post(f"{BY_TOKEN}/api/sessions", json={}).json()
        content = {"name": "a.csv", "b64": "YSxi", "session_id": session["session_id"]}
        file = client.post(f"{BY_TOKEN}/api/files/content", json=content).json()
        assert client.get(file["download_url"]).content == b"a,b"
        assert http.get(f"/api/sessions/{session['session_id']}").status_code == 200

    def test_last_use_is_stored_at_most_every_five_minutes(self, backend: Backend, http: TestClient) -> None:
        client = with_token(backend, create(http)["token"])
        used = []
        for _ in range(3):
            backend.clock.advance(200)
            client.get("/api/me")
            used.append(listed(http)[0]["last_used_at"])
        assert used[0] == used[1]
        assert used[2] > used[1]

    def test_token_can_neither_manage_tokens_nor_erase_the_user(self, backend: Backend, http: TestClient) -> None:
        created = create(http)
        client = with_token(backend, created["token"])
        responses = [
            client.get("/api/me/tokens"),
            client.post("/api/me/tokens", json={"name": "more"}),
            client.delete(f"/api/me/tokens/{created['token_id']}"),
            client.delete("/api/me"),
        ]
        assert [(each.status_code, each.json()) for each in responses] == [(403, BY_SIGN_IN_ONLY)] * 4
        assert len(listed(http)) == 1

    def test_public_paths_need_no_token_below_the_address_for_tokens(self, backend: Backend, http: TestClient) -> None:
        created = http.post("/api/files/content", json={"name": "a.csv", "b64": "YSxi"}).json()
        client = make_client(KeyCheck(backend.app(identity_from_claims("email")), "key"))
        paths = ("/api/health", created["download_url"])
        assert [client.get(f"{BY_TOKEN}{path}").status_code for path in paths] == [200, 200]
        assert client.post(f"{BY_TOKEN}/api/health").status_code == 401


class TestRefusal:
    def test_revoked_token_is_refused_at_once(self, backend: Backend, http: TestClient) -> None:
        created = create(http)
        client = with_token(backend, created["token"])
        assert client.get("/api/me").status_code == 200

        assert http.delete(f"/api/me/tokens/{created['token_id']}").status_code == 204

        assert outcome(client) == (401, REFUSED)
        assert http.delete(f"/api/me/tokens/{created['token_id']}").status_code == 204

    def test_other_user_cannot_revoke_the_token(
        self, backend: Backend, http: TestClient, other_user: TestClient
    ) -> None:
        created = create(http)
        assert other_user.delete(f"/api/me/tokens/{created['token_id']}").status_code == 204
        assert with_token(backend, created["token"]).get("/api/me").status_code == 200

    def test_expired_token_is_refused(self, backend: Backend, http: TestClient) -> None:
        client = with_token(backend, create(http, ttl_days=1)["token"])
        backend.clock.advance(86_399)
        assert client.get("/api/me").status_code == 200
        backend.clock.advance(1)
        assert outcome(client) == (401, REFUSED)

    @pytest.mark.parametrize("prefix", ["", BY_TOKEN])
    def test_forged_tokens_are_refused(
        self, backend: Backend, http: TestClient, other_user: TestClient, user: UserName, prefix: str
    ) -> None:
        own, other = create(http)["token"], create(other_user)["token"]
        forged = {
            "of another user": change(own, 0, other.removeprefix("satchel_").split(".")[0]),
            "with the id of another token": change(own, 1, create(http)["token"].split(".")[1]),
            "with another secret": change(own, 2, other.split(".")[2]),
            "with a part of the secret": own[:-1],
            "with a longer secret": own + "A",
            "without a secret": change(own, 2, ""),
            "of a user who does not exist": change(own, 0, encoded("nobody@example.com")),
            "of no user name": change(own, 0, encoded("../" + user)),
            "of no text": change(own, 0, "____"),
            "the prefix": "satchel_",
        }
        client = make_client(backend.local_app)
        statuses = {
            name: client.get(f"{prefix}/api/me", headers={"Authorization": f"Bearer {text}"}).status_code
            for name, text in forged.items()
        }
        assert statuses == dict.fromkeys(forged, 401)

    def test_requests_without_a_token_are_refused_below_the_address_for_tokens(self, backend: Backend) -> None:
        signed_in = backend.client_for(new_user())
        for headers in ({}, {"Authorization": "Bearer key"}, {"Authorization": "Basic satchel_x"}):
            response = signed_in.get(f"{BY_TOKEN}/api/me", headers=headers)
            assert (response.status_code, response.json()) == (401, REFUSED)
            assert response.headers["WWW-Authenticate"] == "Bearer"

    def test_token_is_checked_before_the_body_is_read(self, backend: Backend) -> None:
        client = with_token(backend, "satchel_x")
        assert client.post("/api/files/content", content=b"{").status_code == 401

    def test_two_authorization_headers_are_refused(self, backend: Backend, http: TestClient) -> None:
        token = create(http)["token"]
        app = KeyCheck(backend.app(identity_from_headers), "key")
        values = [b"Bearer " + token.encode(), b"Bearer key"]
        for pair in (values, values[::-1]):
            response = make_client(app).get("/api/me", headers=[(b"authorization", value) for value in pair])
            assert response.status_code == 401


class TestGateways:
    def test_gateway_of_the_key_lets_only_valid_tokens_through(
        self, backend: Backend, http: TestClient, user: UserName
    ) -> None:
        client = make_client(KeyCheck(backend.app(identity_from_headers), "key"), {"X-Satchel-User": new_user()})
        token = create(http)["token"]
        assert client.get("/api/me", headers={"Authorization": f"Bearer {token}"}).json()["user"] == user
        assert client.get("/api/me", headers={"Authorization": f"Bearer {token[:-1]}x"}).status_code == 401

    def test_token_has_the_groups_of_the_account_and_ends_with_it(self, backend: Backend, tmp_path: Path) -> None:
        name = new_user()
        with sign_in_parts(tmp_path) as parts:
            parts.accounts.add(name, PASSWORD, ["writers"])
            client = make_client(parts.gateway(backend.app(identity_from_session, parts.accounts.find_current)), CLIENT)
            client.post("/auth/sign-in", json={"user": name, "password": PASSWORD})
            bearer = {"Authorization": f"Bearer {create(client)['token']}"}
            client.cookies.clear()
            assert client.get("/api/me").status_code == 401
            assert client.get("/api/me", headers=bearer).json()["groups"] == ["users", "writers"]
            parts.accounts.set_groups(name, ["readers"])
            assert client.get("/api/me", headers=bearer).json()["groups"] == ["readers", "users"]
            parts.accounts.remove(name)
            assert client.get("/api/me", headers=bearer).status_code == 401
