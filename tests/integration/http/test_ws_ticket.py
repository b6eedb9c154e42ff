from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from satchel.domain.connections import Ticket, ticket_digest
from satchel.domain.ids import UserName
from tests.integration.http.backend import Backend


def test_ticket_is_valid_for_one_minute_and_comes_with_the_url(
    backend: Backend, http: TestClient, user: UserName
) -> None:
    response = http.post("/api/ws-ticket")

    assert response.status_code == 201
    body = response.json()
    expires_at = backend.clock.now() + timedelta(seconds=60)
    assert body == {
        "ticket": body["ticket"],
        "expires_at": expires_at.isoformat().replace("+00:00", "Z"),
        "url": "wss://sockets.example/ws",
    }
    assert backend.tickets.pop(ticket_digest(body["ticket"])) == Ticket(
        user=user, groups=["users"], expires_at=expires_at
    )


def test_each_ticket_is_different(http: TestClient) -> None:
    assert len({http.post("/api/ws-ticket").json()["ticket"] for _ in range(5)}) == 5


def test_ticket_is_not_logged(http: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG", logger="satchel"):
        ticket = http.post("/api/ws-ticket").json()["ticket"]
    assert ticket not in caplog.text


def test_ticket_needs_a_valid_user(backend: Backend) -> None:
    response = backend.client_for("../root").post("/api/ws-ticket")

    assert (response.status_code, response.json()["error_code"]) == (403, "E_FORBIDDEN")
