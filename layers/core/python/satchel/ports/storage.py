"""Object storage: file content, the parts of uploads, and the files of the web client."""

from collections.abc import Callable, Iterator, Sequence
from typing import IO, Protocol

from pydantic import BaseModel

from satchel.domain.uploads import Part, StoredPart, Upload
from satchel.ports import Page


class StoredObject(BaseModel):
    """The properties of a stored object. ``size`` is in bytes."""

    key: str
    size: int
    mime: str
    etag: str


class FileStore(Protocol):
    """Stores objects (the content of files) by key."""

    def put(self, key: str, body: IO[bytes], mime: str, tags: dict[str, str] | None = None) -> None:
        """Store an object from a stream, with bounded memory."""
        ...

    def set_tags(self, key: str, tags: dict[str, str]) -> None:
        """Replace the tags of an object. Raise FileNotFoundError if it does not exist."""
        ...

    def head(self, key: str) -> StoredObject | None:
        """Return the properties of an object, or None if it does not exist."""
        ...

    def read(self, key: str, max_bytes: int) -> bytes | None:
        """Return an object's content, or None if it does not exist. Raise ValueError if it exceeds ``max_bytes``."""
        ...

    def read_range(self, key: str, first: int, last: int) -> Iterator[bytes]:
        """Return the bytes from ``first`` to ``last``, both included, in pieces.

        If the object does not exist, raise FileNotFoundError immediately, not when the first piece is read.
        """
        ...

    def presign_get(self, key: str, seconds: int, mime: str | None = None, disposition: str | None = None) -> str:
        """Return a presigned GET URL. Its response has this Content-Type and Content-Disposition."""
        ...

    def delete(self, keys: Sequence[str]) -> None:
        """Delete any number of objects with all their versions. Missing objects are ignored."""
        ...

    def delete_prefix(self, prefix: str, proceed: Callable[[], bool] = lambda: True) -> Iterator[int]:
        """Delete all versions of all objects with this prefix in batches. Yield the size of each deleted batch.

        Stop if ``proceed``, called between the listing and the deletion of each batch, returns False.
        """
        ...


class PartStore(Protocol):
    """Multipart uploads to the object store (S3)."""

    def begin(self, key: str, mime: str) -> str:
        """Start a multipart upload and return the id that the object store assigned."""
        ...

    def presign_part(self, upload: Upload, part: Part, seconds: int) -> tuple[str, dict[str, str]]:
        """Return a presigned PUT URL for this part only (number, length, checksum), and the headers to send."""
        ...

    def list_parts(self, upload: Upload, limit: int, cursor: str | None) -> Page[StoredPart]:
        """Return the uploaded parts by number. The list is empty if the store has no such upload."""
        ...

    def complete(self, upload: Upload, parts: Sequence[StoredPart]) -> None:
        """Create the object from its parts. Do nothing if the upload was already completed or aborted."""
        ...

    def abort(self, upload: Upload) -> None:
        """Abort an upload and delete its parts. Do nothing if the upload does not exist."""
        ...


class PageStore(Protocol):
    """Stores the files of the web client by URL path."""

    def get(self, path: str) -> bytes | None:
        """Return the content of a file, or None if it is not stored."""
        ...

    def put(self, path: str, content: bytes, media_type: str, cache: str) -> None:
        """Store a file; ``cache`` is its Cache-Control header."""
