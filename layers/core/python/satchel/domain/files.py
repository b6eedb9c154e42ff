"""A user's files: records, versions, name conflicts, expiry, filters for listings, and storage usage."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.ids import FileKey, SessionId, UserName, turn_of


class Source(StrEnum):
    """The origin of a file, as shown to the model in the list of available files (clause v2.1:context:source)."""

    UPLOADED = "uploaded"
    GENERATED = "generated"
    DEFERRED = "deferred"


def _is_unset(value: object) -> bool:
    return value is None or value is False


_Count = Annotated[int | None, Field(default=None, ge=0, exclude_if=_is_unset)]


class FileInfo(BaseModel):
    """Metadata read from a file's content (clause v2.1:context:info). Unknown fields are None.

    If ``estimated`` is true, counts are extrapolated from the beginning of a large file. ``rows`` excludes the header.
    In a workbook, ``rows`` and ``columns`` describe the first sheet. ``keys`` counts the top-level keys of a JSON
    object. ``width`` and ``height`` are in pixels.
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
    """An S3 object that is about to become a file. ``origin`` is the id of the tool call or upload that created it.

    ``artifact_id`` is the id that the tool gave the file, or None. Tools' files with different ids are different files.

    ``app`` is the full name of the tool whose app created the file, or None.

    A deferred file waits for an action by the user: ``reason`` says why, ``next_actions`` lists the possible actions. A
    ``temporary`` file is deleted with its session. A file is deleted at ``expires_at`` (seconds since 1970), if set.
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
    artifact_id: str | None = None
    app: Annotated[str | None, Field(exclude_if=_is_unset)] = None
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
        """Return True if the file will be deleted automatically, with its session or at a set time."""
        return self.temporary or self.expires_at is not None

    @property
    def expiry(self) -> datetime | None:
        """Return the time at which the file is deleted, or None if it is not deleted at a set time."""
        return None if self.expires_at is None else datetime.fromtimestamp(self.expires_at, UTC)

    @property
    def status(self) -> str | None:
        """Return why the file is deferred, in words without underscores, or None if the file is not deferred."""
        return self.reason.replace("_", " ") if self.reason else None


class FileRecord(NewFile):
    """One version of a file. Listings show only the newest version. ``key`` (the S3 key) is never sent to clients."""

    file_key: FileKey
    version: int = 1


class NameClaim(BaseModel):
    """A file's reservation of its name in a session. Each name belongs to only one file at a time."""

    name: str
    raw_name: str
    file_key: FileKey
    object_id: FileKey
    source: Source
    origin: str
    version: int
    artifact_id: str | None = None
    app: Annotated[str | None, Field(exclude_if=_is_unset)] = None
    temporary: bool = False
    expires_at: int | None = None


class NameResolution(StrEnum):
    """The decision on a new file whose name is taken: it is the same file, a new version, or gets a numbered name."""

    SAME_FILE = "same file"
    NEW_VERSION = "new version"
    NUMBERED_NAME = "numbered name"


def resolve_name_conflict(claim: NameClaim, new: NewFile) -> NameResolution:
    """Decide what happens to a new file whose name already belongs to another file in the session (``claim``).

    If the original names (``raw_name``) are equal, the new file becomes a new version of the other file, with three
    exceptions. First, a tool's file never becomes a version of an upload, of a file of the same turn, or of an artifact
    with a different id. Second, a file that expires earlier than the other file never becomes a version of it, because
    the expiry would delete both. Third, a file of an app becomes only a version of a file of the same app. In these
    cases, and if the original names differ, the new file gets a numbered name.
    """
    if claim.object_id == new.object_id:
        return NameResolution.SAME_FILE
    if claim.raw_name != new.raw_name or _may_expire_before(new, claim) or (new.app and new.app != claim.app):
        return NameResolution.NUMBERED_NAME
    if new.source is Source.UPLOADED:
        return NameResolution.NEW_VERSION
    is_other_artifact = claim.artifact_id != new.artifact_id or turn_of(claim.origin) == turn_of(new.origin)
    if claim.source is Source.UPLOADED or is_other_artifact:
        return NameResolution.NUMBERED_NAME
    return NameResolution.NEW_VERSION


def _may_expire_before(new: NewFile, claim: NameClaim) -> bool:
    """Return True if ``new`` may be deleted earlier than the existing file that owns the name (``claim``)."""
    if new.expires_at is not None and (claim.expires_at is None or new.expires_at < claim.expires_at):
        return True
    return new.temporary and not claim.temporary


def as_permanent(record: FileRecord) -> FileRecord:
    """Return a copy of a deferred or temporary file's record, changed so that the file is permanent."""
    source = Source.GENERATED if record.source is Source.DEFERRED else record.source
    changes: dict[str, object] = {"temporary": False, "expires_at": None, "reason": None, "next_actions": []}
    return record.model_copy(update=changes | {"source": source})


def is_expired(record: FileRecord, now: datetime) -> bool:
    """Return True if the file has expired. Callers must treat an expired file as missing, even if it still exists."""
    return record.expires_at is not None and record.expires_at <= now.timestamp()


class FileFilter(BaseModel):
    """A filter for listings of files. A file must match all fields that are set."""

    model_config = ConfigDict(frozen=True)

    session_id: SessionId | None = None
    source: Source | None = None
    category: str | None = None
    name_prefix: str = ""

    @property
    def needs_records(self) -> bool:
        """Return True if ``source`` or ``category`` is set: no index contains them, so read file records."""
        return self.source is not None or self.category is not None

    def matches(self, record: FileRecord) -> bool:
        """Return True if the file matches all fields of the filter that are set."""
        return (
            self.session_id in {None, record.session_id}
            and self.source in {None, record.source}
            and self.category in {None, record.category}
            and record.name.startswith(self.name_prefix)
        )


class Usage(BaseModel):
    """A user's storage usage: the total bytes of all file versions, and the number of files."""

    bytes: int = 0
    count: int = 0
