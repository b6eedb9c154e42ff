from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from local.emulator.http_gateway import HostAndOriginCheck
from tests.integration.http.desk import problem
from tests.integration.http.world import World, client_of

PORT = 8000
FOREIGN_HOST = problem(403, "Forbidden", "E_FORBIDDEN", "This server only accepts its own host name.")
FOREIGN_PAGE = problem(403, "Forbidden", "E_FORBIDDEN", "This server only accepts requests of its own pages.")


@pytest.fixture
def http(world: World) -> TestClient:
    return client_of(HostAndOriginCheck(world.local_app, PORT), {"Host": f"127.0.0.1:{PORT}"})


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"])
def test_its_own_names_get_in(http: TestClient, host: str) -> None:
    assert http.get("/api/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:8001",
        "127.0.0.1:x",
        "127.0.0.1:99999",
        "127.0.0.1.evil.example:8000",
        "localhost.evil.example:8000",
        "127.0.0.1:8000@evil.example",
        "0.0.0.0:8000",
        "[::ffff:127.0.0.1]:8000",
        "[::1",
        "",
        "localhost.:8000",
    ],
)
def test_every_other_host_is_kept_out(http: TestClient, host: str) -> None:
    answer = http.get("/api/config", headers={"Host": host})

    assert (answer.status_code, answer.json()) == (403, FOREIGN_HOST)
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_default_port_need_not_be_said(world: World) -> None:
    http = client_of(HostAndOriginCheck(world.local_app, 80), {"Host": "localhost"})

    assert http.get("/api/health").status_code == 200
    assert http.get("/api/health", headers={"Host": "localhost:8000"}).status_code == 403


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8000", "http://localhost:8000", "http://[::1]:8000"])
def test_its_own_pages_get_in(http: TestClient, origin: str) -> None:
    assert http.post("/api/sessions", headers={"Origin": origin}).status_code == 201


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://evil.example:8000",
        "http://localhost:3000",
        "http://localhost",
        "https://localhost:8000",
        "null",
        "",
        "file://",
        "http://localhost:8000.evil.example",
        "http://localhost:8000@evil.example",
        "localhost:8000",
        "chrome-extension://localhost:8000",
    ],
)
def test_pages_of_other_sites_are_kept_out(http: TestClient, origin: str) -> None:
    answer = http.post("/api/sessions", headers={"Origin": origin})

    assert (answer.status_code, answer.json()) == (403, FOREIGN_PAGE)


def test_a_second_header_does_not_open_the_door(http: TestClient) -> None:
    good, evil = b"http://localhost:8000", b"http://evil.example"
    twice: list[Any] = [[(b"origin", good), (b"origin", evil)], [(b"origin", evil), (b"origin", good)]]

    for headers in twice:
        assert http.post("/api/sessions", headers=headers).status_code == 403


def test_what_is_no_request_passes(world: World) -> None:
    with TestClient(HostAndOriginCheck(world.local_app, PORT), headers={"Host": "localhost:8000"}) as client:
        assert client.get("/api/health").status_code == 200


def test_sockets_of_other_sites_are_kept_out(http: TestClient) -> None:
    with (
        pytest.raises(WebSocketDisconnect),
        http.websocket_connect("/ws", headers={"Host": "localhost:8000", "Origin": "http://evil.example"}),
    ):
        pytest.fail("it was let in")
