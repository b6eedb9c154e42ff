"""The web client is served before the API, with the headers that it has in the cloud."""

from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from infra.page_headers import page_headers
from local.page import Page

HEADERS = page_headers(store="http://127.0.0.1:5000", sockets="ws://127.0.0.1:8000")


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<h1>Satchel</h1>")
    (tmp_path / "assets/app-1a2b.js").write_text("run()")
    return tmp_path


def page(built: Path) -> TestClient:
    return TestClient(Page(PlainTextResponse("the API"), HEADERS, built))


def test_the_page_and_its_files_go_with_the_headers(built: Path) -> None:
    for path in ("/", "/index.html", "/assets/app-1a2b.js", "/config.json", "/missing"):
        answer = page(built).get(path)

        assert {name: answer.headers[name] for name in HEADERS} == HEADERS, path


def test_a_built_file_is_kept_for_good_and_what_names_it_is_asked_for_each_time(built: Path) -> None:
    http = page(built)

    assert "immutable" in http.get("/assets/app-1a2b.js").headers["cache-control"]
    assert [http.get(path).headers["cache-control"] for path in ("/", "/config.json", "/assets/gone.js")] == [
        "no-cache"
    ] * 3


def test_the_page_is_told_that_no_sign_in_is_needed_here(built: Path) -> None:
    assert page(built).get("/config.json").json() == {"auth": "local"}


def test_what_is_the_apis_stays_the_apis(built: Path) -> None:
    for path in ("/api", "/api/health", "/api/files/index.html"):
        answer = page(built).get(path)

        assert (answer.text, "content-security-policy" in answer.headers) == ("the API", False)


@pytest.mark.parametrize("path", ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt"])
def test_nothing_outside_of_the_built_folder_is_served(built: Path, path: str) -> None:
    folder = built / "dist"
    (built / "secret.txt").write_text("secret")
    folder.mkdir()
    (folder / "index.html").write_text("<h1>Satchel</h1>")

    assert "secret" not in page(folder).get(path).text


def test_where_it_is_not_built_the_api_answers_all_the_same(tmp_path: Path) -> None:
    http = page(tmp_path)

    assert http.get("/").status_code == 404
    assert "npm" in http.get("/").text
    assert http.get("/api/health").text == "the API"


class TestThePolicy:
    POLICY = page_headers(
        store="https://store.example",
        sockets="wss://sockets.example",
        dashboards=["https://one.example", "https://two.example:8443"],
        sign_in=["https://login.example"],
    )["Content-Security-Policy"]

    def directives(self) -> dict[str, list[str]]:
        parts = [part.split() for part in self.POLICY.split("; ")]
        return {name: sources for name, *sources in parts}

    def test_lets_only_our_own_files_run(self) -> None:
        said = self.directives()

        assert (said["default-src"], said["script-src"], said["worker-src"]) == (["'none'"], ["'self'"], ["'self'"])

    def test_names_the_places_that_the_deployment_has(self) -> None:
        said = self.directives()

        assert said["connect-src"] == [
            "'self'",
            "wss://sockets.example",
            "https://store.example",
            "https://login.example",
        ]
        assert said["frame-src"] == ["https://one.example", "https://two.example:8443"]

    def test_shows_no_frame_where_no_dashboard_is_allowed(self) -> None:
        assert "frame-src 'none'" in HEADERS["Content-Security-Policy"]

    def test_fills_every_placeholder(self) -> None:
        assert "${" not in self.POLICY
