"""What is kept of a person, and that its end must be said twice."""

import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import UserName
from satchel.domain.links import EraseClaims
from tests.integration.aws.recorded import recorded
from tests.integration.http.desk import Desk, problem
from tests.integration.http.erasing import erase, everything
from tests.integration.http.world import World

NOT_CONFIRMED = problem(
    422,
    "Invalid request",
    "E_NOT_CONFIRMED",
    "This confirmation is not good: ask without one, then confirm with what you are given.",
)


class TestRead:
    def test_tells_who_asks_and_how_much_they_keep(self, desk: Desk, user: str) -> None:
        desk.upload("a.csv", b"12345")
        desk.upload("a.csv", b"123")

        assert desk.get("/api/me") == {
            "user": user,
            "groups": ["users"],
            "usage": {"bytes": 8, "count": 1},
            "erasure": None,
        }

    def test_costs_one_query_and_one_read(self, world: World, desk: Desk) -> None:
        with recorded(world.table.client) as requests:
            desk.get("/api/me")

        assert sorted(name for name, _ in requests) == ["GetItem", "Query"]


class TestConfirmation:
    def test_nothing_goes_when_it_is_said_once(self, world: World, desk: Desk, user: str) -> None:
        desk.upload("a.csv", session_id=desk.session())
        before = everything(world, user)

        answer = erase(desk.http)

        assert answer.status_code == 200
        assert answer.json()["usage"] == {"bytes": 8, "count": 1}
        assert everything(world, user) == before
        assert user not in world.erasure_starter.started

    def test_it_is_good_for_five_minutes(self, world: World, http: TestClient) -> None:
        token = erase(http).json()["confirm_token"]

        world.clock.advance(299)
        assert erase(http, token).status_code == 202
        world.clock.advance(1)
        assert (erase(http, token).status_code, erase(http, token).json()) == (422, NOT_CONFIRMED)

    def test_it_is_the_persons_own(self, world: World, http: TestClient, stranger: TestClient, user: str) -> None:
        answer = erase(http, erase(stranger).json()["confirm_token"])

        assert (answer.status_code, answer.json()) == (422, NOT_CONFIRMED)
        assert world.erasures.get(UserName(user)) is None

    @pytest.mark.parametrize("token", ["x", "a.b.c", "." * 4000])
    def test_what_is_none_confirms_nothing(self, http: TestClient, token: str) -> None:
        assert erase(http, token).json() == NOT_CONFIRMED

    def test_a_link_is_none(self, http: TestClient, desk: Desk) -> None:
        token = desk.upload("a.csv")["download_url"].partition("token=")[2]

        assert erase(http, token).json() == NOT_CONFIRMED

    def test_it_opens_no_file(self, world: World, desk: Desk, user: str, anybody: TestClient) -> None:
        key = desk.upload("a.csv")["file_key"]
        token = world.signer.sign(EraseClaims(owner=user, exp=int(world.clock.now().timestamp()) + 60))

        assert anybody.get(f"/api/files/download/{key}?token={token}").status_code == 404
