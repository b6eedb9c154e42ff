"""The paths that need no sign-in."""

import pytest

from satchel.entrypoints.http.public_paths import BY_TOKEN_PATH, PUBLIC_PATHS, is_public

FILE_KEY = "f" + "0" * 26


def public(path: str, method: str = "GET") -> bool:
    return is_public({"type": "http", "path": path, "method": method})


def test_public_operations() -> None:
    assert {
        "/.well-known/jwks.json",
        "/api/health",
        "/api/files/download/{file_key}",
        "/api/shared-chat",
    } == PUBLIC_PATHS


@pytest.mark.parametrize("prefix", ["", BY_TOKEN_PATH])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/jwks.json",
        "/api/health",
        f"/api/files/download/{FILE_KEY}",
        "/api/shared-chat",
        "/api/openapi.json",
    ],
)
def test_reading_a_public_path_needs_no_sign_in(prefix: str, path: str, method: str) -> None:
    assert public(prefix + path, method)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get"])
def test_other_methods_need_sign_in(method: str) -> None:
    assert not public("/api/health", method)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/api/me",
        "/api/health/more",
        "/v1/api/health",
        f"/api/files/download/{FILE_KEY}/more",
        "/api/files/download/",
        BY_TOKEN_PATH,
        f"{BY_TOKEN_PATH}/api/me",
        f"{BY_TOKEN_PATH}{BY_TOKEN_PATH}/api/health",
        f"/api/health{BY_TOKEN_PATH}",
    ],
)
def test_other_paths_need_sign_in(path: str) -> None:
    assert not public(path)
