"""The web client is served beside the API, with the headers that it has in the cloud."""

from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from infra.page_headers import page_headers
from local.emulator.http_gateway import WebClient

HEADERS = page_headers(store="http://127.0.0.1:5000", sockets="ws://127.0.0.1:8000")


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<h1>Satchel</h1>")
    (tmp_path / "assets/app-1a2b.js").write_text("run()")
    return tmp_path


def client(built: Path) -> TestClient:
    return TestClient(WebClient(PlainTextResponse("the API"), HEADERS, built))


def test_page_and_files_have_the_headers(built: Path) -> None:
    for path in ("/", "/index.html", "/assets/app-1a2b.js", "/config.json", "/missing"):
        response = client(built).get(path)

        assert {name: response.headers[name] for name in HEADERS} == HEADERS, path


def test_built_files_are_cached_and_the_files_that_name_them_are_not(built: Path) -> None:
    http = client(built)

    assert "immutable" in http.get("/assets/app-1a2b.js").headers["cache-control"]
    assert [http.get(path).headers["cache-control"] for path in ("/", "/config.json", "/assets/gone.js")] == [
        "no-cache"
    ] * 3


def test_config_says_that_no_sign_in_is_needed(built: Path) -> None:
    assert client(built).get("/config.json").json() == {"auth": "local"}


def test_api_paths_are_forwarded(built: Path) -> None:
    for path in ("/api", "/api/health", "/api/files/index.html", "/.well-known/jwks.json"):
        response = client(built).get(path)

        assert (response.text, "content-security-policy" in response.headers) == ("the API", False)


@pytest.mark.parametrize("path", ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt"])
def test_file_outside_the_built_folder_is_not_served(built: Path, path: str) -> None:
    folder = built / "dist"
    (built / "secret.txt").write_text("secret")
    folder.mkdir()
    (folder / "index.html").write_text("<h1>Satchel</h1>")

    assert "secret" not in client(folder).get(path).text


def test_api_works_if_the_web_client_is_not_built(tmp_path: Path) -> None:
    http = client(tmp_path)

    assert http.get("/").status_code == 404
    assert "npm" in http.get("/").text
    assert http.get("/api/health").text == "the API"


class TestContentSecurityPolicy:
    POLICY = page_headers(
        store="https://store.example",
        sockets="wss://sockets.example",
        dashboards=["https://one.example", "https://two.example:8443"],
        sign_in=["https://login.example"],
    )["Content-Security-Policy"]

    def directives(self) -> dict[str, list[str]]:
        return self.parse(self.POLICY.split(", ")[0])

    def parse(self, policy: str) -> dict[str, list[str]]:
        parts = [part.split() for part in policy.split("; ")]
        return {name: sources for name, *sources in parts}

    def test_only_own_scripts_may_run(self) -> None:
        directives = self.directives()

        assert (directives["default-src"], directives["script-src"], directives["worker-src"]) == (
            ["'none'"],
            ["'self'"],
            ["'self'"],
        )

    def test_second_policy_limits_scripts_and_styles_to_the_folder_of_the_page(self) -> None:
        _, second = self.POLICY.split(", ")

        assert self.parse(second) == {"script-src": ["*:*/assets/"], "style-src": ["*:*/assets/", "'unsafe-inline'"]}

    def test_configured_origins_are_allowed(self) -> None:
        directives = self.directives()

        assert directives["connect-src"] == [
            "'self'",
            "wss://sockets.example",
            "https://store.example",
            "https://login.example",
        ]
        assert directives["frame-src"] == ["https://one.example", "https://two.example:8443"]

    def test_frames_are_forbidden_without_dashboards(self) -> None:
        assert "frame-src 'none'" in HEADERS["Content-Security-Policy"]

    def test_all_placeholders_are_replaced(self) -> None:
        assert "${" not in self.POLICY
