"""Files of a person: the record, its versions, and which name a new file gets (spec 3 §2, DESIGN: file names).

What a person asks of all their files: some of them, and how much they are.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.ids import FileKey, SessionId, UserName


class Source(StrEnum):
    """Where a file comes from; the word that the file context uses (spec 3 §4.2)."""

    UPLOADED = "uploaded"
    GENERATED = "generated"
    DEFERRED = "deferred"


def _is_unset(value: object) -> bool:
    return value is None or value is False


_Count = Annotated[int | None, Field(default=None, ge=0, exclude_if=_is_unset)]


class FileInfo(BaseModel):
    """What was read from a file itself (spec 3 §4.2), as far as it is known. ``width`` and ``height`` in pixels.

    ``estimated``: a count is what the beginning of a large file lets expect. ``rows`` are those under the heading, and
    of a workbook those of its first sheet; ``keys`` are those at the top of a JSON object.
    """

    rows: _Count = None
    columns: _Count = None
    sheets: _Count = None
    pages: _Count = None
    width: _Count = None
    height: _Count = None
    lines: _Count = None
    keys: _Count = None
    estimated: bool = Field(default=False, exclude_if=_is_unset)


class NewFile(BaseModel):
    """Bytes in the store that are about to become a file. ``origin`` tells two makers apart (a call, an upload).

    A deferred file waits for somebody: ``reason`` says for what, ``next_actions`` what may be done. A ``temporary`` one
    goes with its session, one with ``expires_at`` (seconds since 1970) at its hour.
    """

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
    reason: str | None = None
    next_actions: list[str] = []
    info: FileInfo = FileInfo()

    @property
    def is_transient(self) -> bool:
        """Tell whether it goes by itself."""
        return self.temporary or self.expires_at is not None

    @property
    def status(self) -> str | None:
        """Return why it waits, in words."""
        return self.reason.replace("_", " ") if self.reason else None


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
    is_transient: bool = False


class NameResolution(StrEnum):
    """What a name that is taken means for a new file."""

    SAME_FILE = "same"
    NEW_VERSION = "new version"
    NUMBERED_NAME = "next name"


def resolve_name_conflict(claim: NameClaim, new: NewFile) -> NameResolution:
    """Decide what becomes of a new file whose name is held by ``claim``.

    The same raw name made again is a new version; an artifact never replaces an upload, nor another artifact of the
    same call; two raw names that merely meet after normalising never share a name. What goes by itself is never a
    version of what stays: it would take that along.
    """
    if claim.object_id == new.object_id:
        return NameResolution.SAME_FILE
    if claim.raw_name != new.raw_name or claim.origin == new.origin:
        return NameResolution.NUMBERED_NAME
    if claim.source is Source.UPLOADED and new.source is not Source.UPLOADED:
        return NameResolution.NUMBERED_NAME
    if new.is_transient and not claim.is_transient:
        return NameResolution.NUMBERED_NAME
    return NameResolution.NEW_VERSION


def as_permanent(record: FileRecord) -> FileRecord:
    """Return a deferred or temporary file as one that stays."""
    source = Source.GENERATED if record.source is Source.DEFERRED else record.source
    stays: dict[str, object] = {"temporary": False, "expires_at": None, "reason": None, "next_actions": []}
    return record.model_copy(update=stays | {"source": source})


def is_expired(record: FileRecord, now: datetime) -> bool:
    """Tell whether a file is gone by now, swept or not: expiry is exact where it is read."""
    return record.expires_at is not None and record.expires_at <= now.timestamp()


class FileFilter(BaseModel):
    """Which files are meant: those that fit everything that is given."""

    model_config = ConfigDict(frozen=True)

    session_id: SessionId | None = None
    source: Source | None = None
    category: str | None = None
    name_prefix: str = ""

    @property
    def needs_records(self) -> bool:
        """Tell whether something is asked by which no list is ordered, so that records must be looked at to know."""
        return self.source is not None or self.category is not None

    def matches(self, record: FileRecord) -> bool:
        """Tell whether a file is meant."""
        return (
            self.session_id in {None, record.session_id}
            and self.source in {None, record.source}
            and self.category in {None, record.category}
            and record.name.startswith(self.name_prefix)
        )


class Usage(BaseModel):
    """How much a person keeps: the bytes of all versions, and the number of files."""

    bytes: int = 0
    count: int = 0
