"""Uploads that go straight to the store, a part at a time: which parts there are, and what a file is made of at last.

Every one is a multipart upload, one of a single part where the file is small: what was begun and never ended leaves
nothing behind but parts, which one lifecycle rule removes, and nothing can be put any more once it is complete.
"""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, StringConstraints

from satchel.contract import mime_of, normalize_mime, safe_name
from satchel.domain.files import NewFile, Source
from satchel.domain.ids import FileKey, SessionId, UploadId, UserName, new_id
from satchel.domain.object_keys import object_key

MAX_PARTS = 10_000
"""S3 takes no more in one object."""

PART_BYTES = 16 << 20
"""What is sent again, at most, when a connection breaks; and what a client holds in memory."""

MAX_SIGNED_PARTS = 100
"""Parts that are signed at a time."""

PART_URL_SECONDS = 900
UPLOAD_LIFETIME = timedelta(days=1)
"""The bucket's lifecycle removes the parts of an upload no sooner."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$")]
"""A SHA-256 as base64: what S3 is told to check the bytes of a part against."""


class Part(BaseModel):
    """A part that is to be sent: its number, from 1 on, and the checksum of its bytes."""

    number: int
    sha256: Sha256


class StoredPart(BaseModel):
    """A part that the store has. ``sha256`` is None where the store has forgotten it."""

    number: int
    size: int
    etag: str
    sha256: str | None = None


class SignedPart(BaseModel):
    """Permission to PUT one part: so many bytes of the file from ``offset`` on, with these headers, to this address."""

    number: int
    offset: int
    size: int
    url: str
    headers: dict[str, str]
    expires_at: datetime


class Upload(BaseModel):
    """Bytes on their way. ``file`` is what they become; ``store_id`` is what the store calls the upload."""

    file: NewFile
    store_id: str
    part_bytes: int
    expires_at: datetime

    @property
    def upload_id(self) -> UploadId:
        """Return its id: that of the object which comes of it."""
        return UploadId(self.file.object_id)

    @property
    def part_count(self) -> int:
        """Return how many parts there are."""
        return part_count_of(self.file.size, self.part_bytes)

    def offset_of(self, number: int) -> int:
        """Return where in the file a part begins."""
        return (number - 1) * self.part_bytes

    def size_of(self, number: int) -> int:
        """Return the bytes of a part: the same for all but the last."""
        return min(self.part_bytes, self.file.size - self.offset_of(number))


def part_bytes_for(size: int) -> int:
    """Return how large the parts of a file are, so that there are never more than the store takes."""
    mebibyte = 1 << 20
    least = -(-size // MAX_PARTS)
    return max(PART_BYTES, -(-least // mebibyte) * mebibyte)


def part_count_of(size: int, part_bytes: int) -> int:
    """Return how many parts a file has; an empty one has one, of nothing."""
    return max(1, -(-size // part_bytes))


def new_uploaded_file(
    user: UserName,
    session_id: SessionId | None,
    raw_name: str,
    mime: str | None,
    size: int,
    now: datetime,
    entropy: bytes,
) -> NewFile:
    """Return what an upload becomes, whichever way its bytes come in."""
    name = safe_name(raw_name)
    object_id = FileKey(new_id("f", now, entropy))
    return NewFile(
        object_id=object_id,
        key=object_key(user, "uploads", object_id, name),
        user=user,
        session_id=session_id,
        name=name,
        raw_name=raw_name,
        mime=normalize_mime(mime) if mime else mime_of(name),
        size=size,
        source=Source.UPLOADED,
        origin=object_id,
        created_at=now,
    )
