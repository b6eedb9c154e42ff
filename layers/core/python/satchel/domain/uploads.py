"""Uploads in parts: clients send the parts directly to S3, and a completed upload becomes a file.

Each upload is an S3 multipart upload, even if it has a single part, for two reasons: the bucket's lifecycle deletes the
parts of abandoned uploads, and clients cannot change a completed upload.
"""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, StringConstraints

from satchel.contract import mime_of, normalize_mime, safe_name
from satchel.contract.media_types import UNKNOWN
from satchel.domain.files import NewFile, Source
from satchel.domain.ids import FileKey, IdBody, SessionId, UploadId, UserName
from satchel.domain.object_keys import object_key

MAX_PARTS = 10_000
"""Maximum number of parts in an upload (S3's limit)."""

PART_BYTES = 16 << 20
"""Minimum part size in bytes. A client holds one part in memory, and resends one part after a lost connection."""

MAX_SIGNED_PARTS = 100
"""Maximum number of parts for which a client can get presigned URLs in one request."""

PART_URL_SECONDS = 900
UPLOAD_LIFETIME = timedelta(days=1)
"""Clients can continue an upload for this long. The bucket's lifecycle deletes unfinished parts only later."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$")]
"""A SHA-256 hash in base64. S3 rejects a part whose bytes do not match the hash."""


class Part(BaseModel):
    """A part that a client wants to upload: its number, counted from 1, and the hash of its bytes."""

    number: int
    sha256: Sha256


class StoredPart(BaseModel):
    """A part that is stored in S3. ``sha256`` is None if S3 does not return the hash."""

    number: int
    size: int
    etag: str
    sha256: str | None = None


class SignedPart(BaseModel):
    """A presigned URL for a part: PUT the file's ``size`` bytes from ``offset`` on to ``url``, with ``headers``."""

    number: int
    offset: int
    size: int
    url: str
    headers: dict[str, str]
    expires_at: datetime


class Upload(BaseModel):
    """An unfinished upload, which will become ``file``. ``store_id`` is the id of the S3 multipart upload."""

    file: NewFile
    store_id: str
    part_bytes: int
    expires_at: datetime

    @property
    def upload_id(self) -> UploadId:
        """Return the upload's id, which is also the object id of the future file."""
        return UploadId(self.file.object_id)

    @property
    def part_count(self) -> int:
        """Return the number of parts in the upload."""
        return part_count_of(self.file.size, self.part_bytes)

    def offset_of(self, number: int) -> int:
        """Return the position in the file, in bytes, at which part ``number`` starts."""
        return (number - 1) * self.part_bytes

    def size_of(self, number: int) -> int:
        """Return the size of part ``number`` in bytes. Only the last part may be smaller than the others."""
        return min(self.part_bytes, self.file.size - self.offset_of(number))


def part_bytes_for(size: int) -> int:
    """Return the part size in bytes for a file of ``size`` bytes, so that the file has at most ``MAX_PARTS`` parts."""
    mebibyte = 1 << 20
    min_bytes = -(-size // MAX_PARTS)
    return max(PART_BYTES, -(-min_bytes // mebibyte) * mebibyte)


def part_count_of(size: int, part_bytes: int) -> int:
    """Return the number of parts for a file of this size. An empty file has one empty part."""
    return max(1, -(-size // part_bytes))


def new_uploaded_file(
    user: UserName,
    session_id: SessionId | None,
    raw_name: str,
    mime: str | None,
    size: int,
    now: datetime,
    id_body: IdBody,
) -> NewFile:
    """Return the file that a new upload will create. Used for uploads in parts and for uploads in one request.

    Browsers declare ``application/octet-stream`` if they do not know the type: then the name decides.
    """
    name = safe_name(raw_name)
    object_id = FileKey(f"f{id_body}")
    return NewFile(
        object_id=object_id,
        key=object_key(user, "uploads", object_id, name),
        user=user,
        session_id=session_id,
        name=name,
        raw_name=raw_name,
        mime=normalize_mime(mime) if mime and mime != UNKNOWN else mime_of(name),
        size=size,
        source=Source.UPLOADED,
        origin=object_id,
        created_at=now,
    )
