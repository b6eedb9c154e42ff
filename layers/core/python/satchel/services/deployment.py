"""Describe this deployment to clients (``GET /api/config``), and upload the web client to its S3 bucket."""

import mimetypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from satchel.domain.isolation import Level
from satchel.domain.llm import ModelCatalog
from satchel.ports.storage import PageStore

_HASHED_FILES = "assets/"
_CACHE_FOREVER = "public, max-age=31536000, immutable"  # safe: changed files get new names, which contain a hash
_REVALIDATE = "no-cache"
_START_PAGE = "index.html"
_CONFIG = "config.json"
_DEFAULT_TYPE = "application/octet-stream"


@dataclass(frozen=True)
class Deployment:
    """The part of the response to ``GET /api/config`` that is the same for all users. Its ``limits`` are in bytes.

    ``isolation_level`` is a function, so that the kernel is tested only when a client requests the configuration.
    """

    models: ModelCatalog
    socket_url: str
    isolation_level: Callable[[], Level]
    flags: dict[str, Any]
    limits: dict[str, int]


class PublishPage:
    """Upload the built web client to S3. Files of earlier deployments remain, because open pages still load them."""

    def __init__(self, store: PageStore, folder: Path, config: str) -> None:
        self._store = store
        self._folder = folder
        self._config = config

    def __call__(self) -> int:
        """Upload all files and return their number. Upload ``index.html`` last, after the files that it loads."""
        files = [path for path in sorted(self._folder.rglob("*")) if path.is_file()]
        names = sorted((str(path.relative_to(self._folder)) for path in files), key=lambda name: name == _START_PAGE)
        self._store.put(_CONFIG, self._config.encode(), "application/json", _REVALIDATE)
        for name in names:
            media_type = mimetypes.guess_type(name)[0] or _DEFAULT_TYPE
            cache = _CACHE_FOREVER if name.startswith(_HASHED_FILES) else _REVALIDATE
            self._store.put(name, (self._folder / name).read_bytes(), media_type, cache)
        return len(names) + 1
