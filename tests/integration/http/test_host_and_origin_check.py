from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from local.emulator.access_checks import HostAndOriginCheck, allow_origins
from tests.integration.http.api_client import problem
from tests.integration.http.backend import Backend, make_client

PORT = 8000
FOREIGN_HOST = problem(403, "Forbidden", "E_FORBIDDEN", "This server only accepts its own host name.")
FOREIGN_PAGE = problem(403, "Forbidden", "E_FORBIDDEN", "This server only accepts requests of its own pages.")


@pytest.fixture
def http(backend: Backend) -> TestClient:
    return make_client(HostAndOriginCheck(backend.local_app, PORT), {"Host": f"127.0.0.1:{PORT}"})


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"])
def test_own_host_names_are_accepted(http: TestClient, host: str) -> None:
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
def test_other_host_names_are_rejected(http: TestClient, host: str) -> None:
    response = http.get("/api/config", headers={"Host": host})

    assert (response.status_code, response.json()) == (403, FOREIGN_HOST)
    assert response.headers["content-type"] == "application/problem+json"


def test_default_port_may_be_omitted(backend: Backend) -> None:
    http = make_client(HostAndOriginCheck(backend.local_app, 80), {"Host": "localhost"})

    assert http.get("/api/health").status_code == 200
    assert http.get("/api/health", headers={"Host": "localhost:8000"}).status_code == 403


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8000", "http://localhost:8000", "http://[::1]:8000"])
def test_own_origins_are_accepted(http: TestClient, origin: str) -> None:
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
def test_other_origins_are_rejected(http: TestClient, origin: str) -> None:
    response = http.post("/api/sessions", headers={"Origin": origin})

    assert (response.status_code, response.json()) == (403, FOREIGN_PAGE)


def test_second_origin_header_is_rejected(http: TestClient) -> None:
    own, other = b"http://localhost:8000", b"http://evil.example"
    twice: list[Any] = [[(b"origin", own), (b"origin", other)], [(b"origin", other), (b"origin", own)]]

    for headers in twice:
        assert http.post("/api/sessions", headers=headers).status_code == 403


def test_lifespan_events_pass(backend: Backend) -> None:
    with TestClient(HostAndOriginCheck(backend.local_app, PORT), headers={"Host": "localhost:8000"}) as client:
        assert client.get("/api/health").status_code == 200


def test_websocket_from_another_origin_is_rejected(http: TestClient) -> None:
    with (
        pytest.raises(WebSocketDisconnect),
        http.websocket_connect("/ws", headers={"Host": "localhost:8000", "Origin": "http://evil.example"}),
    ):
        pytest.fail("the connection was accepted")


OTHER = "http://localhost:5173"


@pytest.fixture
def open_http(backend: Backend) -> TestClient:
    """A server whose API pages of another origin may call."""
    checked = HostAndOriginCheck(backend.local_app, PORT, other_origins=[OTHER])
    return make_client(allow_origins(checked, [OTHER]), {"Host": f"127.0.0.1:{PORT}"})


def test_page_of_an_allowed_origin_can_call_the_api_and_read_headers(open_http: TestClient) -> None:
    preflight = open_http.options(
        "/api/sessions",
        headers={
            "Origin": OTHER,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
        },
    )
    response = open_http.get("/api/health", headers={"Origin": OTHER, "Sec-Fetch-Site": "same-site"})

    assert (preflight.status_code, preflight.headers["Access-Control-Allow-Origin"]) == (200, OTHER)
    assert (response.status_code, response.headers["Access-Control-Allow-Origin"]) == (200, OTHER)
    assert "retry-after" in response.headers["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Credentials" not in response.headers


@pytest.mark.parametrize("origin", ["http://localhost:5174", "https://localhost:5173", "null", "http://evil.example"])
def test_page_of_any_other_origin_stays_refused(open_http: TestClient, origin: str) -> None:
    preflight = open_http.options("/api/sessions", headers={"Origin": origin, "Access-Control-Request-Method": "POST"})
    response = open_http.get("/api/config", headers={"Origin": origin})

    assert (preflight.status_code, response.status_code) == (400, 403)
    assert "Access-Control-Allow-Origin" not in {**preflight.headers, **response.headers}


def test_without_allowed_origins_a_preflight_is_refused(http: TestClient) -> None:
    headers = {"Origin": OTHER, "Access-Control-Request-Method": "POST"}
    assert http.options("/api/sessions", headers=headers).status_code == 403
