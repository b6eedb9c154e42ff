"""Serve the web client that this deployment brought."""

import mimetypes
from pathlib import Path

from satchel.ports.page_store import PageStore

_BUILT = "assets/"
_FOREVER = "public, max-age=31536000, immutable"  # a built file's name holds a hash of what is in it
_ASK_AGAIN = "no-cache"
_ENTRANCE = "index.html"
_CONFIG = "config.json"
_OTHERWISE = "application/octet-stream"


class PublishPage:
    """Copies a folder. What earlier deployments brought stays: pages that are open go on loading parts of it."""

    def __init__(self, store: PageStore, folder: Path, config: str) -> None:
        self._store = store
        self._folder = folder
        self._config = config

    def __call__(self) -> int:
        """Return how many files are served. The entrance comes last, when all that it names is there."""
        files = [path for path in sorted(self._folder.rglob("*")) if path.is_file()]
        names = sorted((str(path.relative_to(self._folder)) for path in files), key=lambda name: name == _ENTRANCE)
        self._store.put(_CONFIG, self._config.encode(), "application/json", _ASK_AGAIN)
        for name in names:
            media_type = mimetypes.guess_type(name)[0] or _OTHERWISE
            cache = _FOREVER if name.startswith(_BUILT) else _ASK_AGAIN
            self._store.put(name, (self._folder / name).read_bytes(), media_type, cache)
        return len(names) + 1
