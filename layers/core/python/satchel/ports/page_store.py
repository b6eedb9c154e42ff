"""Where the web client is served from."""

from typing import Protocol


class PageStore(Protocol):
    """Files by the path that a browser asks for."""

    def put(self, path: str, content: bytes, media_type: str, cache: str) -> None:
        """Serve this from now on; ``cache`` is the Cache-Control that goes with it."""
