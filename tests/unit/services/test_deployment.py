"""Publishing the web client."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from satchel.services.deployment import PublishPage, ReadPage


@dataclass
class RecordingPageStore:
    """Record published files in their order."""

    published: dict[str, tuple[bytes, str, str]] = field(default_factory=dict)

    def put(self, path: str, content: bytes, media_type: str, cache: str) -> None:
        self.published[path] = (content, media_type, cache)


def _build_client(folder: Path) -> Path:
    (folder / "assets").mkdir(parents=True)
    for name in ("index.html", "icon.svg", "assets/main-1a2b.js", "assets/odd.unheard"):
        (folder / name).write_text(name)
    return folder


def test_files_are_published_with_media_type_and_cache_control(tmp_path: Path) -> None:
    store = RecordingPageStore()
    assert PublishPage(store, _build_client(tmp_path), '{"auth": "oidc"}')() == 5
    revalidate, forever = "no-cache", "public, max-age=31536000, immutable"
    assert store.published == {
        "config.json": (b'{"auth": "oidc"}', "application/json", revalidate),
        "assets/main-1a2b.js": (b"assets/main-1a2b.js", "text/javascript", forever),
        "assets/odd.unheard": (b"assets/odd.unheard", "application/octet-stream", forever),
        "icon.svg": (b"icon.svg", "image/svg+xml", revalidate),
        "index.html": (b"index.html", "text/html", revalidate),
    }


def test_start_page_is_published_last(tmp_path: Path) -> None:
    store = RecordingPageStore()
    PublishPage(store, _build_client(tmp_path), "{}")()
    assert list(store.published)[-1] == "index.html"


HEADERS = {"X-Frame-Options": "DENY"}


@pytest.fixture
def read_page(tmp_path: Path) -> ReadPage:
    (tmp_path / "secret.txt").write_text("secret")
    return ReadPage(_build_client(tmp_path / "client"), '{"auth": "oidc"}', HEADERS)


def test_start_page_is_read_with_the_security_headers(read_page: ReadPage) -> None:
    start = read_page("/")
    assert start is not None
    assert start == read_page("/index.html")
    assert start.headers == {**HEADERS, "Content-Type": "text/html", "Cache-Control": "no-cache"}


def test_configuration_is_that_of_the_deployment(read_page: ReadPage) -> None:
    config = read_page("/config.json")
    assert config is not None
    assert config.content == b'{"auth": "oidc"}'
    assert config.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    "path", ["/absent.js", "/assets", "/../secret.txt", "//etc/hostname", "/assets/../../secret.txt"]
)
def test_path_without_a_file_of_the_page_reads_nothing(read_page: ReadPage, path: str) -> None:
    assert read_page(path) is None
