"""Files of a person: the record, its versions, and which name a new file gets (spec 3 §2, DESIGN: file names)."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel

from satchel.domain.ids import FileKey, SessionId, UserName


class Source(StrEnum):
    """Where a file comes from; the word that the file context uses (spec 3 §4.2)."""

    UPLOADED = "uploaded"
    GENERATED = "generated"
    DEFERRED = "deferred"


class NewFile(BaseModel):
    """Bytes in the store that are about to become a file. ``origin`` tells two makers apart (a call, an upload)."""

    object_id: FileKey
    key: str
    user: UserName
    session_id: SessionId | None
    name: str
    raw_name: str
    mime: str
    size: int
    source: Source
    origin: str
    created_at: datetime
    description: str | None = None
    viewer: str | None = None
    category: str | None = None
    auto_open: bool = False
    temporary: bool = False
    expires_at: int | None = None
    info: dict[str, Any] = {}


class FileRecord(NewFile):
    """A file as it is listed: its newest version. ``key`` is the S3 key of that version and never leaves the system."""

    file_key: FileKey
    version: int = 1


class NameClaim(BaseModel):
    """Who holds a name in a session. A name means one file at a time."""

    name: str
    raw_name: str
    file_key: FileKey
    object_id: FileKey
    source: Source
    origin: str
    version: int


class Verdict(StrEnum):
    """What a name that is taken means for a new file."""

    SAME = "same"
    NEW_VERSION = "new version"
    NEXT_NAME = "next name"


def judge(claim: NameClaim, new: NewFile) -> Verdict:
    """Decide what becomes of a new file whose name is held by ``claim``.

    The same raw name made again is a new version; an artifact never replaces an upload, nor another artifact of the
    same call; two raw names that merely meet after normalising never share a name.
    """
    if claim.object_id == new.object_id:
        return Verdict.SAME
    if claim.raw_name != new.raw_name or claim.origin == new.origin:
        return Verdict.NEXT_NAME
    if claim.source is Source.UPLOADED and new.source is not Source.UPLOADED:
        return Verdict.NEXT_NAME
    return Verdict.NEW_VERSION


def expired(record: FileRecord, now: datetime) -> bool:
    """Tell whether a file is gone by now, swept or not: expiry is exact where it is read."""
    return record.expires_at is not None and record.expires_at <= now.timestamp()
