"""Uploads that are on their way: what is known of them, and the parts that the store has."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from satchel.domain.uploads import Part, StoredPart, Upload
from satchel.ports.catalog import Page


class Uploads(Protocol):
    """Uploads of a person that are neither complete nor given up. ``Files.keep_upload`` is what ends a complete one."""

    def add(self, upload: Upload) -> None:
        """Write a new one."""
        ...

    def get(self, user: str, upload_id: str) -> Upload | None:
        """Return one of this person."""
        ...

    def list(self, user: str, limit: int, cursor: str | None) -> Page[Upload]:
        """Return them, newest first."""
        ...

    def take(self, user: str, upload_id: str) -> Upload | None:
        """Remove one and return it: of many who take it, one gets it."""
        ...

    def due(self, now: datetime, limit: int) -> Sequence[Upload]:
        """Return uploads of anybody whose time is over, the oldest first."""
        ...


class PartStore(Protocol):
    """The store's side of an upload."""

    def begin(self, key: str, mime: str) -> str:
        """Begin an upload and return what the store calls it."""
        ...

    def sign(self, upload: Upload, part: Part, seconds: int) -> tuple[str, dict[str, str]]:
        """Return a presigned PUT of one part and the headers to send.

        It takes these bytes alone, by number, length and checksum.
        """
        ...

    def parts(self, upload: Upload, limit: int, cursor: str | None) -> Page[StoredPart]:
        """Return the parts that came, by number; none of an upload that the store does not know any more."""
        ...

    def complete(self, upload: Upload, parts: Sequence[StoredPart]) -> None:
        """Make the object of its parts; that it was made so before, or given up, is no error: see what there is."""
        ...

    def abort(self, upload: Upload) -> None:
        """Give up what came so far; an upload that the store does not know is no error."""
        ...
