"""The local server accepts requests of its own pages only, whatever a page of another site makes a browser send."""

import asyncio

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message, Scope

from local.emulator.access_checks import HostAndOriginCheck

PORT = 8000
OWN, OWN_ORIGIN = "127.0.0.1:8000", "http://127.0.0.1:8000"


def status(*headers: tuple[str, str], kind: str = "http", path: str = "/api/health", method: str = "GET") -> int | str:
    """Return the status of the response to a request with these headers, or ``close`` for a closed WebSocket."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    scope: Scope = {"type": kind, "method": method, "path": path, "headers": encoded, "http_version": "1.0"}
    asyncio.run(HostAndOriginCheck(PlainTextResponse("answer"), PORT)(scope, receive, send))
    return "close" if sent[0]["type"] == "websocket.close" else int(sent[0]["status"])


@pytest.mark.parametrize("host", [OWN, "localhost:8000", "LOCALHOST:8000", "[::1]:8000"])
def test_own_host_is_accepted(host: str) -> None:
    assert status(("host", host)) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example:8000",
        "localhost.evil.example:8000",
        "evil.example@127.0.0.1:9000",
        "127.0.0.1",
        "127.0.0.1:9000",
        "127.0.0.1:99999",
        "127.0.0.1:",
        "0.0.0.0:8000",
        "[::]:8000",
        "[::1",
        "169.254.169.254:8000",
        "",
    ],
)
def test_other_host_is_refused(host: str) -> None:
    assert status(("host", host)) == 403


def test_request_without_host_is_refused() -> None:
    """HTTP/1.0 allows a request without the header."""
    assert status() == 403
    assert status(("origin", OWN_ORIGIN)) == 403


@pytest.mark.parametrize("second", ["evil.example", "127.0.0.1:9000"])
def test_second_host_is_refused(second: str) -> None:
    assert status(("host", OWN), ("Host", second)) == 403


@pytest.mark.parametrize("origin", [OWN_ORIGIN, "http://localhost:8000", "http://[::1]:8000"])
def test_own_origin_is_accepted(origin: str) -> None:
    assert status(("host", OWN), ("origin", origin)) == 200


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "https://evil.example",
        "http://evil.example:8000",
        "https://127.0.0.1:8000",
        "http://127.0.0.1:9000",
        "http://127.0.0.1",
        "http://127.0.0.1.evil.example:8000",
        "file://",
        "http://127.0.0.1:8000x",
    ],
)
def test_other_origin_is_refused(origin: str) -> None:
    assert status(("host", OWN), ("origin", origin)) == 403
    assert status(("host", OWN), ("origin", origin), kind="websocket") == "close"


def test_second_origin_is_refused() -> None:
    assert status(("host", OWN), ("origin", OWN_ORIGIN), ("origin", "https://evil.example")) == 403


def fetch_metadata(site: str, mode: str = "no-cors", use: str = "image") -> list[tuple[str, str]]:
    return [("host", OWN), ("sec-fetch-site", site), ("sec-fetch-mode", mode), ("sec-fetch-dest", use)]


@pytest.mark.parametrize("site", ["cross-site", "same-site", "unknown", ""])
def test_request_of_another_page_without_an_origin_is_refused(site: str) -> None:
    for path in ("/", "/api/me", "/api/health", "/assets/app.js"):
        assert status(*fetch_metadata(site), path=path) == 403
    assert status(*fetch_metadata(site), kind="websocket", path="/ws") == "close"


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_request_of_the_own_page_or_the_address_bar_is_accepted(site: str) -> None:
    assert status(*fetch_metadata(site), path="/api/me") == 200


def test_link_of_another_page_opens_the_page_and_downloads_only() -> None:
    link = fetch_metadata("cross-site", "navigate", "document")

    assert status(*link, path="/") == 200
    assert status(*link, path="/api/files/download/f1") == 200
    assert [status(*link, path=path) for path in ("/api/me", "/api", "/api/files/f1")] == [403, 403, 403]
    assert status(*link, path="/", method="POST") == 403
    assert status(*fetch_metadata("cross-site", "navigate", "iframe"), path="/") == 403


def test_another_page_may_embed_a_download() -> None:
    assert status(*fetch_metadata("cross-site"), path="/api/files/download/f1") == 200


def test_second_fetch_site_is_refused() -> None:
    assert status(*fetch_metadata("same-origin"), ("Sec-Fetch-Site", "cross-site"), path="/api/me") == 403
