"""Shared links: create, list, revoke. A link is valid for at most one day."""

from datetime import datetime
from typing import Any

import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import UserName
from tests.integration.aws.factories import make_file, random_id
from tests.integration.aws.recorded_requests import record_requests
from tests.integration.http.api_client import LINK_NOT_FOUND, ApiClient, file_not_found
from tests.integration.http.backend import Backend

DAY = 86_400


@pytest.fixture
def file(api: ApiClient) -> dict[str, Any]:
    return api.upload("a.csv", b"0123456789", session_id=api.create_session())


def share(api: ApiClient, file: dict[str, Any], **fields: object) -> dict[str, Any]:
    response = api.http.post(f"/api/files/{file['file_key']}/link", json=fields)
    assert response.status_code == 201, response.text
    link: dict[str, Any] = response.json()
    return link


def list_link_ids(api: ApiClient, query: str = "") -> list[str]:
    return [link["link_id"] for link in api.get_json(f"/api/links{query}")["links"]]


def can_download(anonymous: TestClient, link: dict[str, Any]) -> bool:
    response = anonymous.get(link["url"].removeprefix("http://api.example"))
    assert response.status_code == 200 or response.json() == LINK_NOT_FOUND
    return response.status_code == 200


class TestCreate:
    def test_link_has_file_version_and_expiry(self, backend: Backend, api: ApiClient, file: dict[str, Any]) -> None:
        now = backend.clock.now().isoformat().replace("+00:00", "Z")

        link = share(api, file, ttl_seconds=DAY)

        prefix = f"http://api.example/api/files/download/{file['file_key']}?token="
        assert link["url"].startswith(prefix)
        assert {name: link[name] for name in link if name not in {"link_id", "url"}} == {
            "file_key": file["file_key"],
            "version": 1,
            "name": "a.csv",
            "created_at": now,
            "made_at": now,
            "expires_at": now.replace("-01T", "-02T"),
        }

    def test_link_works_until_its_expiry(
        self, backend: Backend, api: ApiClient, anonymous: TestClient, file: dict[str, Any]
    ) -> None:
        link = share(api, file, ttl_seconds=DAY)

        backend.clock.advance(DAY - 1)
        assert can_download(anonymous, link)
        backend.clock.advance(1)
        assert not can_download(anonymous, link)

    def test_link_is_valid_for_one_hour_by_default(
        self, backend: Backend, api: ApiClient, file: dict[str, Any]
    ) -> None:
        link = api.http.post(f"/api/files/{file['file_key']}/link").json()

        backend.clock.advance(3599)
        assert list_link_ids(api) == [link["link_id"]]
        backend.clock.advance(1)
        assert list_link_ids(api) == []

    def test_link_expires_with_its_file(self, backend: Backend, api: ApiClient, user: UserName) -> None:
        soon = int(backend.clock.now().timestamp()) + 60
        record = backend.files.save(make_file(user, None, "soon.csv", expires_at=soon))

        link = share(api, {"file_key": record.file_key}, ttl_seconds=DAY)

        assert datetime.fromisoformat(link["expires_at"]).timestamp() == soon
        assert backend.shared_links.list(user, 1, None).items[0].claims.exp == soon

    @pytest.mark.parametrize("ttl", [0, -1, DAY + 1, 10**30, 1.5, "an hour", None])
    def test_lifetime_over_one_day_or_invalid_is_rejected(
        self, api: ApiClient, file: dict[str, Any], ttl: object
    ) -> None:
        response = api.http.post(f"/api/files/{file['file_key']}/link", json={"ttl_seconds": ttl})

        assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")

    def test_file_of_another_user_cannot_be_shared(self, other_user: TestClient, file: dict[str, Any]) -> None:
        for key in (file["file_key"], random_id("f")):
            response = other_user.post(f"/api/files/{key}/link")
            assert (response.status_code, response.json()) == (404, file_not_found(key))


class TestList:
    def test_links_are_listed_newest_first_in_pages(
        self, backend: Backend, api: ApiClient, file: dict[str, Any]
    ) -> None:
        link_ids = []
        for _ in range(3):
            link_ids.append(share(api, file)["link_id"])
            backend.clock.advance(1)

        first = api.get_json("/api/links?limit=2")
        second = api.get_json(f"/api/links?limit=2&cursor={first['cursor']}")

        assert [link["link_id"] for link in first["links"] + second["links"]] == link_ids[::-1]
        assert second["cursor"] is None

    def test_list_and_table_do_not_contain_the_token(
        self, backend: Backend, api: ApiClient, file: dict[str, Any]
    ) -> None:
        link = share(api, file)

        shown = api.get_json("/api/links")["links"]

        assert shown == [{name: link[name] for name in link if name != "url"}]
        token = link["url"].partition("token=")[2]
        user = UserName(api.http.headers["X-Satchel-User"])
        stored = str(backend.table.query_all(f"USER#{user}", "LINK#"))
        assert link["link_id"] in stored
        assert not {token, token.split(".")[1], token.split(".")[2]} & set(stored.replace('"', " ").split())
        assert token.split(".")[2] not in stored

    def test_file_filter_returns_only_links_of_the_file(self, api: ApiClient, file: dict[str, Any]) -> None:
        link, other = share(api, file), share(api, api.upload("b.csv"))

        assert list_link_ids(api, f"?file_key={file['file_key']}") == [link["link_id"]]
        assert set(list_link_ids(api)) == {other["link_id"], link["link_id"]}

    def test_invalid_links_are_not_listed(self, api: ApiClient, http: TestClient, file: dict[str, Any]) -> None:
        ended, deleted, lives = api.create_session(), api.upload("b.csv"), api.upload("c.csv")
        share(api, api.upload("d.csv", session_id=ended))
        share(api, deleted)
        link = share(api, lives)

        http.delete(f"/api/sessions/{ended}")
        http.delete(f"/api/files/{deleted['file_key']}")

        assert list_link_ids(api) == [link["link_id"]]
        assert file["file_key"]

    def test_links_of_another_user_are_not_listed(
        self, api: ApiClient, other_user: TestClient, file: dict[str, Any]
    ) -> None:
        share(api, file)

        assert other_user.get("/api/links").json() == {"links": [], "cursor": None}

    def test_list_costs_one_query_and_one_read_of_the_link_states(
        self, backend: Backend, api: ApiClient, file: dict[str, Any]
    ) -> None:
        for _ in range(5):
            share(api, file)

        with record_requests(backend.table.client) as requests:
            api.get_json("/api/links?limit=3")

        assert [name for name, _ in requests] == ["Query", "BatchGetItem"]
        assert requests[0][1]["Limit"] == 3


class TestRevoke:
    def test_revoked_link_stops_working(self, api: ApiClient, anonymous: TestClient, file: dict[str, Any]) -> None:
        link, other = share(api, file), share(api, file)

        response = api.http.delete(f"/api/links/{link['link_id']}")

        assert (response.status_code, response.content) == (204, b"")
        assert (can_download(anonymous, link), can_download(anonymous, other)) == (False, True)
        assert list_link_ids(api) == [other["link_id"]]

    def test_revoking_all_links_keeps_links_of_other_users(
        self, backend: Backend, api: ApiClient, anonymous: TestClient, file: dict[str, Any]
    ) -> None:
        neighbour = ApiClient(backend.client_for("neighbour@example.com"))
        links = [share(api, file) for _ in range(3)]
        others_link = share(neighbour, neighbour.upload("theirs.csv"))

        response = api.http.delete("/api/links")

        assert (response.status_code, response.json()) == (200, {"revoked": 3})
        assert [can_download(anonymous, link) for link in [*links, others_link]] == [False, False, False, True]
        assert api.http.delete("/api/links").json() == {"revoked": 0}

    def test_revoking_all_links_keeps_download_urls_of_the_web_client(
        self, api: ApiClient, anonymous: TestClient, file: dict[str, Any]
    ) -> None:
        share(api, file)
        api.http.delete("/api/links")

        assert anonymous.get(file["download_url"]).status_code == 200

    def test_revoking_a_revoked_link_or_one_of_another_user_changes_nothing(
        self, api: ApiClient, other_user: TestClient, file: dict[str, Any]
    ) -> None:
        link_id = share(api, file)["link_id"]

        assert other_user.delete(f"/api/links/{link_id}").status_code == 204
        assert list_link_ids(api) == [link_id]
        for _ in range(2):
            assert api.http.delete(f"/api/links/{link_id}").status_code == 204
            assert list_link_ids(api) == []

    @pytest.mark.parametrize("link_id", ["x", "l", "f01kabcdefghjkmnpqrstvwxyz0", "l01kabcdefghjkmnpqrstvwxyz01"])
    def test_invalid_link_id_is_not_found(self, http: TestClient, link_id: str) -> None:
        response = http.delete(f"/api/links/{link_id}")

        assert (response.status_code, response.json()["error_code"]) == (404, "E_LINK_NOT_FOUND")
