"""The web client, copied to where it is served from."""

from dataclasses import dataclass, field
from pathlib import Path

from satchel.services.deployment import PublishPage


@dataclass
class Shelf:
    """Keeps what is served, and in which order it came."""

    served: dict[str, tuple[bytes, str, str]] = field(default_factory=dict)

    def put(self, path: str, content: bytes, media_type: str, cache: str) -> None:
        self.served[path] = (content, media_type, cache)


def _built(folder: Path) -> Path:
    (folder / "assets").mkdir()
    for name in ("index.html", "icon.svg", "assets/main-1a2b.js", "assets/odd.unheard"):
        (folder / name).write_text(name)
    return folder


def test_every_file_is_served_as_what_it_is(tmp_path: Path) -> None:
    shelf = Shelf()
    assert PublishPage(shelf, _built(tmp_path), '{"auth": "oidc"}')() == 5
    again, forever = "no-cache", "public, max-age=31536000, immutable"
    assert shelf.served == {
        "config.json": (b'{"auth": "oidc"}', "application/json", again),
        "assets/main-1a2b.js": (b"assets/main-1a2b.js", "text/javascript", forever),
        "assets/odd.unheard": (b"assets/odd.unheard", "application/octet-stream", forever),
        "icon.svg": (b"icon.svg", "image/svg+xml", again),
        "index.html": (b"index.html", "text/html", again),
    }


def test_the_entrance_comes_last_when_all_that_it_names_is_there(tmp_path: Path) -> None:
    shelf = Shelf()
    PublishPage(shelf, _built(tmp_path), "{}")()
    assert list(shelf.served)[-1] == "index.html"
