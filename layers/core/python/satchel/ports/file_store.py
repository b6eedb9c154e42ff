"""Where bytes are kept."""

from collections.abc import Iterator, Sequence
from typing import IO, Protocol

from pydantic import BaseModel


class StoredObject(BaseModel):
    """What the store knows of an object. ``size`` in bytes."""

    key: str
    size: int
    mime: str
    etag: str


class FileStore(Protocol):
    """Objects under a person's prefix."""

    def put(self, key: str, body: IO[bytes], mime: str, tags: dict[str, str] | None = None) -> None:
        """Store from a stream in bounded memory."""
        ...

    def tag(self, key: str, tags: dict[str, str]) -> None:
        """Give an object these tags and no others. Raises FileNotFoundError where there is none."""
        ...

    def head(self, key: str) -> StoredObject | None:
        """Return what is known of an object; None where there is none."""
        ...

    def read(self, key: str, most: int) -> bytes | None:
        """Return an object of at most ``most`` bytes; None where there is none. Raises ValueError if larger."""
        ...

    def chunks(self, key: str, first: int, last: int) -> Iterator[bytes]:
        """Return the bytes ``first`` to ``last``, both included, piece by piece.

        Raises FileNotFoundError at once where there is no object, not when the first piece is taken.
        """
        ...

    def link(self, key: str, seconds: int, mime: str | None = None, disposition: str | None = None) -> str:
        """Return a presigned GET that fixes what the browser is told of the content."""
        ...

    def delete(self, keys: Sequence[str]) -> None:
        """Delete these objects with all their versions; any number, absent ones included."""
        ...

    def delete_under(self, prefix: str) -> Iterator[int]:
        """Delete every version of every object whose key begins so, page by page; give how many each page had."""
        ...
