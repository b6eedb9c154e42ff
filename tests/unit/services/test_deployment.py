"""Publishing the web client."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from satchel.services.deployment import PublishPage, ReadPage


@dataclass
class RecordingPageStore:
    """Record published files in their order."""

    published: dict[str, tuple[bytes, str, str]] = field(default_factory=dict)

    def get(self, path: str) -> bytes | None:
        return self.published[path][0] if path in self.published else None

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
    assert store.published.pop("published.txt")[1:] == ("text/plain", revalidate)
    assert store.published == {
        "config.json": (b'{"auth": "oidc"}', "application/json", revalidate),
        "assets/main-1a2b.js": (b"assets/main-1a2b.js", "text/javascript", forever),
        "assets/odd.unheard": (b"assets/odd.unheard", "application/octet-stream", forever),
        "icon.svg": (b"icon.svg", "image/svg+xml", revalidate),
        "index.html": (b"index.html", "text/html", revalidate),
    }


def test_start_page_is_published_after_all_other_files(tmp_path: Path) -> None:
    store = RecordingPageStore()
    PublishPage(store, _build_client(tmp_path), "{}")()
    assert list(store.published)[-2:] == ["index.html", "published.txt"]


def test_check_publishes_the_page_if_the_event_of_the_deployment_was_missed(tmp_path: Path) -> None:
    store = RecordingPageStore()
    publish = PublishPage(store, _build_client(tmp_path), "{}")
    assert publish(only_if_changed=True) == 5
    assert "index.html" in store.published


@pytest.mark.parametrize("change", ["icon.svg", "index.html", "new.txt", "config"])
def test_check_publishes_only_a_page_that_has_changed(tmp_path: Path, change: str) -> None:
    store = RecordingPageStore()
    client = _build_client(tmp_path)
    assert PublishPage(store, client, "{}")() == 5
    store.put("index.html", b"unchanged", "text/html", "no-cache")
    assert PublishPage(store, client, "{}")(only_if_changed=True) == 0
    assert store.get("index.html") == b"unchanged"
    if change != "config":
        (client / change).write_text("changed")
    config = '{"changed": true}' if change == "config" else "{}"
    assert PublishPage(store, client, config)(only_if_changed=True) >= 5
    assert store.get("index.html") != b"unchanged"


def test_check_publishes_again_after_an_interrupted_publication(tmp_path: Path) -> None:
    store = RecordingPageStore()
    publish = PublishPage(store, _build_client(tmp_path), "{}")

    def fail_at_the_start_page(path: str, content: bytes, media_type: str, cache: str) -> None:
        if path == "index.html":
            raise OSError("interrupted")
        RecordingPageStore.put(store, path, content, media_type, cache)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "put", fail_at_the_start_page)
        with pytest.raises(OSError, match="interrupted"):
            publish()
    assert publish(only_if_changed=True) == 5
    assert store.get("index.html") == b"index.html"


def test_deployment_publishes_an_unchanged_page_again(tmp_path: Path) -> None:
    store = RecordingPageStore()
    publish = PublishPage(store, _build_client(tmp_path), "{}")
    publish()
    del store.published["icon.svg"]
    assert publish() == 5
    assert "icon.svg" in store.published


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
