"""The key check of the local API: which requests need the key, and which keys it accepts."""

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from local.emulator.access_checks import KeyCheck

KEY = "the-key-of-this-start"
UNAUTHORIZED = {
    "type": "about:blank",
    "title": "Unauthorized",
    "status": 401,
    "detail": "This server needs the key from the address that it printed when it started.",
    "error_code": "E_UNAUTHORIZED",
}


@pytest.fixture
def http() -> TestClient:
    return TestClient(KeyCheck(PlainTextResponse("the API"), KEY))


@pytest.mark.parametrize("value", [f"Bearer {KEY}", f"bearer {KEY}", f"BEARER  {KEY} "])
def test_request_with_the_key_is_forwarded(http: TestClient, value: str) -> None:
    assert http.get("/api/me", headers={"Authorization": value}).text == "the API"


@pytest.mark.parametrize(
    "value", ["", "Bearer", "Bearer ", KEY, f"Basic {KEY}", f"Bearer {KEY}x", f"Bearer {KEY[:-1]}", f"Bearer\t{KEY}"]
)
def test_request_with_another_key_is_unauthorized(http: TestClient, value: str) -> None:
    response = http.get("/api/me", headers={"Authorization": value})

    assert (response.status_code, response.json()) == (401, UNAUTHORIZED)
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert response.headers["Cache-Control"] == "no-store"


def test_key_outside_ascii_is_unauthorized(http: TestClient) -> None:
    assert http.get("/api/me", headers=[(b"authorization", b"Bearer \xff\xe4")]).status_code == 401


def test_second_authorization_header_is_unauthorized(http: TestClient) -> None:
    good, bad = (b"authorization", f"Bearer {KEY}".encode()), (b"authorization", b"Bearer x")

    for headers in ([good, bad], [bad, good], [good, good]):
        assert http.get("/api/me", headers=headers).status_code == 401


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    "path", ["/api/health", "/api/openapi.json", "/.well-known/jwks.json", "/api/files/download/f1?token=t"]
)
def test_public_path_is_read_without_the_key(http: TestClient, method: str, path: str) -> None:
    assert http.request(method, path).status_code == 200


@pytest.mark.parametrize("path", ["/api/files/download/keep", "/api/files/download/link", "/api/health"])
def test_other_methods_under_a_public_path_need_the_key(http: TestClient, path: str) -> None:
    for method in ("POST", "DELETE", "PATCH", "PUT", "OPTIONS"):
        assert http.request(method, path).status_code == 401


@pytest.mark.parametrize(
    "path",
    [
        "/api",
        "/api/",
        "/api/none",
        "/api/health/",
        "/api//health",
        "/api/HEALTH",
        "/api/files/download/",
        "/api/files/download/x/y",
        "/api/files/download/..%2f..%2fme",
        "/api/me?path=/api/health",
        "/.well-known/other",
    ],
)
def test_every_other_path_needs_the_key(http: TestClient, path: str) -> None:
    assert http.get(path).status_code == 401
