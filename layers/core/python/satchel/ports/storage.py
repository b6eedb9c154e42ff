"""Object storage: file content, the parts of uploads, and the files of the web client."""

from collections.abc import Iterator, Sequence
from typing import IO, Protocol

from pydantic import BaseModel

from satchel.domain.uploads import Part, StoredPart, Upload
from satchel.ports import Page


class StoredObject(BaseModel):
    """The properties of a stored object. ``size`` in bytes."""

    key: str
    size: int
    mime: str
    etag: str


class FileStore(Protocol):
    """Objects by key."""

    def put(self, key: str, body: IO[bytes], mime: str, tags: dict[str, str] | None = None) -> None:
        """Store an object from a stream, with bounded memory."""
        ...

    def set_tags(self, key: str, tags: dict[str, str]) -> None:
        """Replace the tags of an object. Raise FileNotFoundError if it does not exist."""
        ...

    def head(self, key: str) -> StoredObject | None:
        """Return the properties of an object, or None."""
        ...

    def read(self, key: str, max_bytes: int) -> bytes | None:
        """Return the content of an object, or None. Raise ValueError if it is larger than ``max_bytes``."""
        ...

    def read_range(self, key: str, first: int, last: int) -> Iterator[bytes]:
        """Return the bytes from ``first`` to ``last``, both included, in pieces.

        Raise FileNotFoundError immediately, not at the first piece, if the object does not exist.
        """
        ...

    def presign_get(self, key: str, seconds: int, mime: str | None = None, disposition: str | None = None) -> str:
        """Return a presigned GET URL with this Content-Type and Content-Disposition."""
        ...

    def delete(self, keys: Sequence[str]) -> None:
        """Delete objects with all versions. Any number is possible; missing objects are ignored."""
        ...

    def delete_prefix(self, prefix: str) -> Iterator[int]:
        """Delete all versions of all objects with this prefix, in pages. Yield the number of versions of each page."""
        ...


class PartStore(Protocol):
    """The multipart uploads of the store."""

    def begin(self, key: str, mime: str) -> str:
        """Start an upload and return the store's id of it."""
        ...

    def presign_part(self, upload: Upload, part: Part, seconds: int) -> tuple[str, dict[str, str]]:
        """Return a presigned PUT URL for one part, and the headers to send.

        The URL accepts only a part with this number, length and checksum.
        """
        ...

    def list_parts(self, upload: Upload, limit: int, cursor: str | None) -> Page[StoredPart]:
        """Return the uploaded parts by number. The list is empty if the store has no such upload."""
        ...

    def complete(self, upload: Upload, parts: Sequence[StoredPart]) -> None:
        """Create the object from its parts. It is no error if the upload was already completed or aborted."""
        ...

    def abort(self, upload: Upload) -> None:
        """Abort an upload and delete its parts, if it exists."""
        ...


class PageStore(Protocol):
    """The files of the web client by URL path."""

    def put(self, path: str, content: bytes, media_type: str, cache: str) -> None:
        """Store a file; ``cache`` is its Cache-Control header."""
