"""Links that people share with themselves: they live for a day at most, are listed, and can be revoked."""

from datetime import datetime
from typing import Any

import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import UserName
from tests.integration.aws.makers import a_file, fresh
from tests.integration.aws.recorded import recorded
from tests.integration.http.desk import LINK_NOT_FOUND, Desk, file_not_found, problem
from tests.integration.http.world import World

DAY = 86_400


@pytest.fixture
def file(desk: Desk) -> dict[str, Any]:
    return desk.upload("a.csv", b"0123456789", session_id=desk.session())


def share(desk: Desk, file: dict[str, Any], **wanted: object) -> dict[str, Any]:
    answer = desk.http.post(f"/api/files/{file['file_key']}/link", json=wanted)
    assert answer.status_code == 201, answer.text
    link: dict[str, Any] = answer.json()
    return link


def listed(desk: Desk, query: str = "") -> list[str]:
    return [link["link_id"] for link in desk.get(f"/api/links{query}")["links"]]


def opens(anybody: TestClient, link: dict[str, Any]) -> bool:
    answer = anybody.get(link["url"].removeprefix("http://api.example"))
    assert answer.status_code == 200 or answer.json() == LINK_NOT_FOUND
    return answer.status_code == 200


class TestMade:
    def test_it_says_what_it_opens_and_until_when(self, world: World, desk: Desk, file: dict[str, Any]) -> None:
        now = world.clock.now().isoformat().replace("+00:00", "Z")

        link = share(desk, file, ttl_seconds=DAY)

        address = f"http://api.example/api/files/download/{file['file_key']}?token="
        assert link["url"].startswith(address)
        assert {name: link[name] for name in link if name not in {"link_id", "url"}} == {
            "file_key": file["file_key"],
            "version": 1,
            "name": "a.csv",
            "made_at": now,
            "expires_at": now.replace("-01T", "-02T"),
        }

    def test_it_opens_the_file_until_its_last_second(
        self, world: World, desk: Desk, anybody: TestClient, file: dict[str, Any]
    ) -> None:
        link = share(desk, file, ttl_seconds=DAY)

        world.clock.advance(DAY - 1)
        assert opens(anybody, link)
        world.clock.advance(1)
        assert not opens(anybody, link)

    def test_it_lives_an_hour_where_nothing_is_said(self, world: World, desk: Desk, file: dict[str, Any]) -> None:
        link = desk.http.post(f"/api/files/{file['file_key']}/link").json()

        world.clock.advance(3599)
        assert listed(desk) == [link["link_id"]]
        world.clock.advance(1)
        assert listed(desk) == []

    def test_it_ends_with_its_file(self, world: World, desk: Desk, user: str) -> None:
        soon = int(world.clock.now().timestamp()) + 60
        record = world.files.keep(a_file(user, None, "soon.csv", expires_at=soon))

        link = share(desk, {"file_key": record.file_key}, ttl_seconds=DAY)

        assert datetime.fromisoformat(link["expires_at"]).timestamp() == soon
        assert world.shared_links.list(user, 1, None).items[0].claims.exp == soon

    @pytest.mark.parametrize("ttl", [0, -1, DAY + 1, 10**30, 1.5, "an hour", None])
    def test_it_lives_no_longer_than_a_day(self, desk: Desk, file: dict[str, Any], ttl: object) -> None:
        answer = desk.http.post(f"/api/files/{file['file_key']}/link", json={"ttl_seconds": ttl})

        assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")

    def test_nobody_shares_somebody_elses_file(self, stranger: TestClient, file: dict[str, Any]) -> None:
        for key in (file["file_key"], fresh("f")):
            answer = stranger.post(f"/api/files/{key}/link")
            assert (answer.status_code, answer.json()) == (404, file_not_found(key))


class TestList:
    def test_is_newest_first_in_pages(self, world: World, desk: Desk, file: dict[str, Any]) -> None:
        made = []
        for _ in range(3):
            made.append(share(desk, file)["link_id"])
            world.clock.advance(1)

        first = desk.get("/api/links?limit=2")
        second = desk.get(f"/api/links?limit=2&cursor={first['cursor']}")

        assert [link["link_id"] for link in first["links"] + second["links"]] == made[::-1]
        assert second["cursor"] is None

    def test_has_no_token_in_it_nor_has_the_table(self, world: World, desk: Desk, file: dict[str, Any]) -> None:
        link = share(desk, file)

        shown = desk.get("/api/links")["links"]

        assert shown == [{name: link[name] for name in link if name != "url"}]
        token = link["url"].partition("token=")[2]
        user = UserName(desk.http.headers["X-Satchel-User"])
        kept = str(world.table.query_all(f"USER#{user}", "LINK#"))
        assert link["link_id"] in kept
        assert not {token, token.split(".")[1], token.split(".")[2]} & set(kept.replace('"', " ").split())
        assert token.split(".")[2] not in kept

    def test_of_one_file_has_no_other(self, desk: Desk, file: dict[str, Any]) -> None:
        link, other = share(desk, file), share(desk, desk.upload("b.csv"))

        assert listed(desk, f"?file_key={file['file_key']}") == [link["link_id"]]
        assert set(listed(desk)) == {other["link_id"], link["link_id"]}

    def test_leaves_out_what_opens_nothing_any_more(self, desk: Desk, http: TestClient, file: dict[str, Any]) -> None:
        ended, deleted, lives = desk.session(), desk.upload("b.csv"), desk.upload("c.csv")
        share(desk, desk.upload("d.csv", session_id=ended))
        share(desk, deleted)
        link = share(desk, lives)

        http.delete(f"/api/sessions/{ended}")
        http.delete(f"/api/files/{deleted['file_key']}")

        assert listed(desk) == [link["link_id"]]
        assert file["file_key"]

    def test_is_ones_own(self, desk: Desk, stranger: TestClient, file: dict[str, Any]) -> None:
        share(desk, file)

        assert stranger.get("/api/links").json() == {"links": [], "cursor": None}

    def test_costs_one_query_and_one_look_at_what_the_links_rest_on(
        self, world: World, desk: Desk, file: dict[str, Any]
    ) -> None:
        for _ in range(5):
            share(desk, file)

        with recorded(world.table.client) as requests:
            desk.get("/api/links?limit=3")

        assert [name for name, _ in requests] == ["Query", "BatchGetItem"]
        assert requests[0][1]["Limit"] == 3


class TestRevoked:
    def test_it_opens_nothing_from_then_on(self, desk: Desk, anybody: TestClient, file: dict[str, Any]) -> None:
        link, other = share(desk, file), share(desk, file)

        answer = desk.http.delete(f"/api/links/{link['link_id']}")

        assert (answer.status_code, answer.content) == (204, b"")
        assert (opens(anybody, link), opens(anybody, other)) == (False, True)
        assert listed(desk) == [other["link_id"]]

    def test_all_at_once_leave_other_peoples(
        self, world: World, desk: Desk, anybody: TestClient, file: dict[str, Any]
    ) -> None:
        neighbour = Desk(world.person("neighbour@example.com"))
        links = [share(desk, file) for _ in range(3)]
        theirs = share(neighbour, neighbour.upload("theirs.csv"))

        answer = desk.http.delete("/api/links")

        assert (answer.status_code, answer.json()) == (200, {"revoked": 3})
        assert [opens(anybody, link) for link in [*links, theirs]] == [False, False, False, True]
        assert desk.http.delete("/api/links").json() == {"revoked": 0}

    def test_leaves_the_links_of_the_page_as_they_are(
        self, desk: Desk, anybody: TestClient, file: dict[str, Any]
    ) -> None:
        share(desk, file)
        desk.http.delete("/api/links")

        assert anybody.get(file["download_url"]).status_code == 200

    def test_twice_or_somebody_elses_is_not_found(self, desk: Desk, stranger: TestClient, file: dict[str, Any]) -> None:
        link_id = share(desk, file)["link_id"]
        not_found = problem(404, "Not found", "E_LINK_NOT_FOUND", "There is no such link.", link_id=link_id)

        assert stranger.delete(f"/api/links/{link_id}").json() == not_found
        assert listed(desk) == [link_id]
        desk.http.delete(f"/api/links/{link_id}")
        answer = desk.http.delete(f"/api/links/{link_id}")
        assert (answer.status_code, answer.json()) == (404, not_found)

    @pytest.mark.parametrize("link_id", ["x", "l", "f01kabcdefghjkmnpqrstvwxyz0", "l01kabcdefghjkmnpqrstvwxyz01"])
    def test_what_is_no_id_is_not_found(self, http: TestClient, link_id: str) -> None:
        answer = http.delete(f"/api/links/{link_id}")

        assert (answer.status_code, answer.json()["error_code"]) == (404, "E_LINK_NOT_FOUND")
