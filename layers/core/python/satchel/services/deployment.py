"""Describe this deployment to clients (``GET /api/config``), and publish the web client."""

import hashlib
import mimetypes
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from satchel.domain.llm import ModelCatalog
from satchel.ports.storage import PageStore

_HASHED_FILES = "assets/"
_CACHE_FOREVER = "public, max-age=31536000, immutable"  # safe: changed files get new names, which contain a hash
_REVALIDATE = "no-cache"
_START_PAGE = "index.html"
_CONFIG = "config.json"
_MARKER = "published.txt"  # the hash of all published files; it is missing until the first publication is complete
_DEFAULT_TYPE = "application/octet-stream"


@dataclass(frozen=True)
class Deployment:
    """The part of the response to ``GET /api/config`` that is the same for all users. Its ``limits`` are in bytes."""

    models: ModelCatalog
    socket_url: str
    flags: dict[str, Any]
    limits: dict[str, int]


class PublishPage:
    """Upload the built web client to S3. Files of earlier deployments remain, because open pages still load them."""

    def __init__(self, store: PageStore, folder: Path, config: str) -> None:
        self._store = store
        self._folder = folder
        self._config = config

    def __call__(self, *, only_if_changed: bool = False) -> int:
        """Upload all files and return their number. Upload ``index.html`` after the files that it loads.

        With ``only_if_changed``, upload nothing if exactly these files were published last. Return 0 then.
        """
        files = [path for path in sorted(self._folder.rglob("*")) if path.is_file()]
        names = sorted((str(path.relative_to(self._folder)) for path in files), key=lambda name: name == _START_PAGE)
        digest = self._digest(names)
        if only_if_changed and self._store.get(_MARKER) == digest:
            return 0
        self._store.put(_CONFIG, self._config.encode(), "application/json", _REVALIDATE)
        for name in names:
            media_type, cache = _media_type_and_cache(name)
            self._store.put(name, (self._folder / name).read_bytes(), media_type, cache)
        self._store.put(_MARKER, digest, "text/plain", _REVALIDATE)
        return len(names) + 1

    def _digest(self, names: Iterable[str]) -> bytes:
        """Return a hash of the names and contents of all files and of the configuration."""
        digest = hashlib.sha256(self._config.encode())
        for name in names:
            digest.update(hashlib.sha256(name.encode()).digest())
            digest.update(hashlib.sha256((self._folder / name).read_bytes()).digest())
        return digest.hexdigest().encode()


@dataclass(frozen=True)
class PageFile:
    """A file of the web client, with the HTTP headers of the response that contains it."""

    content: bytes
    headers: dict[str, str]


class ReadPage:
    """Read files of the built web client, to serve them without S3. All responses have the headers ``headers``."""

    def __init__(self, folder: Path, config: str, headers: Mapping[str, str]) -> None:
        self._folder = folder.resolve()
        self._config = config
        self._headers = headers

    def __call__(self, path: str) -> PageFile | None:
        """Return the file at a URL's path: ``/`` is the start page. Return None for a path without a file."""
        name = path.removeprefix("/") or _START_PAGE
        if name == _CONFIG:
            return self._file(self._config.encode(), "application/json", _REVALIDATE)
        file = (self._folder / name).resolve()
        if not file.is_relative_to(self._folder) or not file.is_file():
            return None
        return self._file(file.read_bytes(), *_media_type_and_cache(name))

    def _file(self, content: bytes, media_type: str, cache: str) -> PageFile:
        return PageFile(content, {**self._headers, "Content-Type": media_type, "Cache-Control": cache})


def _media_type_and_cache(name: str) -> tuple[str, str]:
    cache = _CACHE_FOREVER if name.startswith(_HASHED_FILES) else _REVALIDATE
    return mimetypes.guess_type(name)[0] or _DEFAULT_TYPE, cache
