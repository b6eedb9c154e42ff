"""A user's files: records, versions, the name of a new file, the filter of a listing, and the storage usage."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.ids import FileKey, SessionId, UserName


class Source(StrEnum):
    """The origin of a file, as the file context shows it (clause v2.1:context:source)."""

    UPLOADED = "uploaded"
    GENERATED = "generated"
    DEFERRED = "deferred"


def _is_unset(value: object) -> bool:
    return value is None or value is False


_Count = Annotated[int | None, Field(default=None, ge=0, exclude_if=_is_unset)]


class FileInfo(BaseModel):
    """Metadata read from a file's content (clause v2.1:context:info), as far as known. ``width``, ``height`` in pixels.

    ``estimated``: the count is extrapolated from the beginning of a large file. ``rows`` excludes the header; for a
    workbook it counts the first sheet only. ``keys`` are the top-level keys of a JSON object.
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
    """A stored object that is about to become a file. ``origin`` identifies its creator: a call or an upload.

    A deferred file waits for an action of the user: ``reason`` says why, ``next_actions`` lists the possible actions. A
    ``temporary`` file is deleted with its session, a file with ``expires_at`` (seconds since 1970) at that time.
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
        """Return True if the file is deleted automatically."""
        return self.temporary or self.expires_at is not None

    @property
    def status(self) -> str | None:
        """Return the reason of a deferred file in words."""
        return self.reason.replace("_", " ") if self.reason else None


class FileRecord(NewFile):
    """One version of a file; listings show the newest. ``key`` is its S3 key, which no response contains."""

    file_key: FileKey
    version: int = 1


class NameClaim(BaseModel):
    """The file that currently has a name in a session. Each name belongs to one file."""

    name: str
    raw_name: str
    file_key: FileKey
    object_id: FileKey
    source: Source
    origin: str
    version: int
    is_transient: bool = False


class NameResolution(StrEnum):
    """The outcome of a name conflict: the same file again, a new version of it, or a name with a number."""

    SAME_FILE = "same file"
    NEW_VERSION = "new version"
    NUMBERED_NAME = "numbered name"


def resolve_name_conflict(claim: NameClaim, new: NewFile) -> NameResolution:
    """Decide about a new file whose name ``claim`` already has.

    The same raw name again is a new version, with these exceptions: an artifact never replaces an upload or another
    artifact of the same call, and a file that is deleted automatically never becomes a version of a permanent file,
    because it would delete that with it. Two raw names that are equal only after normalization never share a name.
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
    """Return a deferred or temporary file as a permanent one."""
    source = Source.GENERATED if record.source is Source.DEFERRED else record.source
    changes: dict[str, object] = {"temporary": False, "expires_at": None, "reason": None, "next_actions": []}
    return record.model_copy(update=changes | {"source": source})


def is_expired(record: FileRecord, now: datetime) -> bool:
    """Return True if the file has expired, even if it is not deleted yet: readers apply the exact time."""
    return record.expires_at is not None and record.expires_at <= now.timestamp()


class FileFilter(BaseModel):
    """A filter of files: a file must match all set fields."""

    model_config = ConfigDict(frozen=True)

    session_id: SessionId | None = None
    source: Source | None = None
    category: str | None = None
    name_prefix: str = ""

    @property
    def needs_records(self) -> bool:
        """Return True if the filter has a field without an index, so that records must be read to apply it."""
        return self.source is not None or self.category is not None

    def matches(self, record: FileRecord) -> bool:
        """Return True if the file matches."""
        return (
            self.session_id in {None, record.session_id}
            and self.source in {None, record.source}
            and self.category in {None, record.category}
            and record.name.startswith(self.name_prefix)
        )


class Usage(BaseModel):
    """A user's storage usage: the bytes of all versions, and the number of files."""

    bytes: int = 0
    count: int = 0
