"""Uploads in parts: clients send the parts directly to S3, and the completed upload becomes a file.

Each upload is an S3 multipart upload, even with a single part. So an abandoned upload leaves only parts, which a
lifecycle rule deletes, and a completed upload cannot be changed.
"""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, StringConstraints

from satchel.contract import mime_of, normalize_mime, safe_name
from satchel.domain.files import NewFile, Source
from satchel.domain.ids import FileKey, SessionId, UploadId, UserName, new_id
from satchel.domain.object_keys import object_key

MAX_PARTS = 10_000
"""The limit of S3."""

PART_BYTES = 16 << 20
"""The amount that a client keeps in memory, and repeats at most after a broken connection."""

MAX_SIGNED_PARTS = 100
"""The maximum number of parts in a request for signed URLs."""

PART_URL_SECONDS = 900
UPLOAD_LIFETIME = timedelta(days=1)
"""The bucket's lifecycle rule deletes parts later than this."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$")]
"""A SHA-256 in base64. S3 compares it with the bytes of a part."""


class Part(BaseModel):
    """A part to upload: its number, counted from 1, and the checksum of its bytes."""

    number: int
    sha256: Sha256


class StoredPart(BaseModel):
    """An uploaded part. ``sha256`` is None if S3 does not return it."""

    number: int
    size: int
    etag: str
    sha256: str | None = None


class SignedPart(BaseModel):
    """Permission to upload a part: PUT ``size`` bytes of the file from ``offset`` to ``url``, with these headers."""

    number: int
    offset: int
    size: int
    url: str
    headers: dict[str, str]
    expires_at: datetime


class Upload(BaseModel):
    """An unfinished upload. It becomes ``file``; ``store_id`` is the id of the S3 multipart upload."""

    file: NewFile
    store_id: str
    part_bytes: int
    expires_at: datetime

    @property
    def upload_id(self) -> UploadId:
        """Return the upload's id, which is the object id of its file."""
        return UploadId(self.file.object_id)

    @property
    def part_count(self) -> int:
        """Return the number of parts."""
        return part_count_of(self.file.size, self.part_bytes)

    def offset_of(self, number: int) -> int:
        """Return the position of a part in the file, in bytes."""
        return (number - 1) * self.part_bytes

    def size_of(self, number: int) -> int:
        """Return the size of a part in bytes. Only the last part may be smaller."""
        return min(self.part_bytes, self.file.size - self.offset_of(number))


def part_bytes_for(size: int) -> int:
    """Return the part size in bytes for a file of this size, so that it has at most ``MAX_PARTS`` parts."""
    mebibyte = 1 << 20
    min_bytes = -(-size // MAX_PARTS)
    return max(PART_BYTES, -(-min_bytes // mebibyte) * mebibyte)


def part_count_of(size: int, part_bytes: int) -> int:
    """Return the number of parts of a file. An empty file has one empty part."""
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
    """Return the file of an upload, in parts or in one request."""
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
