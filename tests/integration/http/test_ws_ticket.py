from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from satchel.domain.connections import Ticket, digest_of
from tests.integration.http.world import World


def test_who_is_signed_in_gets_a_ticket_for_one_minute_and_where_to_use_it(
    world: World, http: TestClient, user: str
) -> None:
    answer = http.post("/api/ws-ticket")

    assert answer.status_code == 201
    told = answer.json()
    until = world.clock.now() + timedelta(seconds=60)
    assert told == {
        "ticket": told["ticket"],
        "expires_at": until.isoformat().replace("+00:00", "Z"),
        "url": "wss://sockets.example/ws",
    }
    assert world.tickets.take(digest_of(told["ticket"])) == Ticket(user=user, groups=["users"], expires_at=until)


def test_each_ticket_is_another(http: TestClient) -> None:
    assert len({http.post("/api/ws-ticket").json()["ticket"] for _ in range(5)}) == 5


def test_a_ticket_is_written_to_no_log(http: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG", logger="satchel"):
        ticket = http.post("/api/ws-ticket").json()["ticket"]
    assert ticket not in caplog.text


def test_who_is_nobody_gets_none(world: World) -> None:
    answer = world.person("../root").post("/api/ws-ticket")

    assert (answer.status_code, answer.json()["error_code"]) == (403, "E_FORBIDDEN")
