"""Where bytes are kept.

Uploads that are on their way: what is known of them, and the parts that the store has.

Where the web client is served from.
"""

from collections.abc import Iterator, Sequence
from typing import IO, Protocol

from pydantic import BaseModel

from satchel.domain.uploads import Part, StoredPart, Upload
from satchel.ports import Page


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

    def set_tags(self, key: str, tags: dict[str, str]) -> None:
        """Give an object these tags and no others. Raises FileNotFoundError where there is none."""
        ...

    def head(self, key: str) -> StoredObject | None:
        """Return what is known of an object; None where there is none."""
        ...

    def read(self, key: str, max_bytes: int) -> bytes | None:
        """Return an object of at most ``max_bytes`` bytes; None where there is none. Raises ValueError if larger."""
        ...

    def read_range(self, key: str, first: int, last: int) -> Iterator[bytes]:
        """Return the bytes ``first`` to ``last``, both included, piece by piece.

        Raises FileNotFoundError at once where there is no object, not when the first piece is taken.
        """
        ...

    def presign_get(self, key: str, seconds: int, mime: str | None = None, disposition: str | None = None) -> str:
        """Return a presigned GET that fixes what the browser is told of the content."""
        ...

    def delete(self, keys: Sequence[str]) -> None:
        """Delete these objects with all their versions; any number, absent ones included."""
        ...

    def delete_prefix(self, prefix: str) -> Iterator[int]:
        """Delete every version of every object whose key begins so, page by page; give how many each page had."""
        ...


class PartStore(Protocol):
    """The store's side of an upload."""

    def begin(self, key: str, mime: str) -> str:
        """Begin an upload and return what the store calls it."""
        ...

    def presign_part(self, upload: Upload, part: Part, seconds: int) -> tuple[str, dict[str, str]]:
        """Return a presigned PUT of one part and the headers to send.

        It takes these bytes alone, by number, length and checksum.
        """
        ...

    def list_parts(self, upload: Upload, limit: int, cursor: str | None) -> Page[StoredPart]:
        """Return the parts that came, by number; none of an upload that the store does not know any more."""
        ...

    def complete(self, upload: Upload, parts: Sequence[StoredPart]) -> None:
        """Make the object of its parts; that it was made so before, or given up, is no error: see what there is."""
        ...

    def abort(self, upload: Upload) -> None:
        """Give up what came so far; an upload that the store does not know is no error."""
        ...


class PageStore(Protocol):
    """Files by the path that a browser asks for."""

    def put(self, path: str, content: bytes, media_type: str, cache: str) -> None:
        """Serve this from now on; ``cache`` is the Cache-Control that goes with it."""
