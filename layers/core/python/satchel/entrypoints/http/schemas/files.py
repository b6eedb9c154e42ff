"""What goes over the wire that is not a domain model already.

What goes over the wire about shared links.
"""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.files import FileInfo, FileRecord, Source
from satchel.domain.links import MAX_SECONDS, SharedLink


class FileFields(BaseModel):
    """What is said of a file that is uploaded, as JSON or as a form."""

    name: Annotated[str, Field(max_length=4096)]
    mime: Annotated[str | None, Field(max_length=255)] = None
    session_id: str | None = None


class FileUpload(FileFields):
    """A small file as JSON."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "notes.txt", "b64": "aGVsbG8="}]})

    b64: str


class FileOut(BaseModel):
    """A file in My Files. ``size`` in bytes, ``expires_at`` in seconds since 1970.

    A deferred one says in ``status`` and ``reason`` what it waits for, in ``next_actions`` what may be done next; it is
    gone at ``expires_at``, unless it is kept. A ``temporary`` one goes with its session. ``info`` is what was read from
    the file itself.
    """

    file_key: str
    name: str
    mime: str
    size: int
    source: Source
    version: int
    session_id: str | None
    created_at: datetime
    description: str | None
    category: str | None
    viewer: str | None
    auto_open: bool
    temporary: bool
    expires_at: int | None
    status: str | None
    reason: str | None
    next_actions: list[str]
    info: FileInfo
    download_url: str | None = None

    @classmethod
    def of(cls, record: FileRecord, download_url: str | None = None) -> "FileOut":
        """Show a file."""
        return cls.model_validate({**record.model_dump(), "status": record.status, "download_url": download_url})


class StoreReference(BaseModel):
    """Where a large file lies; of no use outside (spec 3 §6.2)."""

    key: str
    internal: bool = True


class FileContent(FileOut):
    """A file as the spec's processed artifact: ``b64`` up to the limit in force, ``s3_ref`` above it."""

    b64: str | None = None
    s3_ref: StoreReference | None = None


class FilePage(BaseModel):
    """Files, newest first."""

    files: list[FileOut]
    cursor: str | None = None


class NewLink(BaseModel):
    """How long a link is to live."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ttl_seconds": 3600}]})

    ttl_seconds: Annotated[int, Field(ge=1, le=MAX_SECONDS)] = 3600


class LinkOut(BaseModel):
    """A shared link: one version of a file, until ``expires_at`` or until it is revoked."""

    link_id: str
    file_key: str
    version: int
    name: str
    made_at: datetime
    expires_at: datetime

    @classmethod
    def of(cls, link: SharedLink) -> "LinkOut":
        """Show a link; its address is not kept."""
        return cls(
            link_id=link.link_id,
            file_key=link.claims.file_key,
            version=link.claims.version,
            name=link.name,
            made_at=link.made_at,
            expires_at=link.expires_at,
        )


class LinkMade(LinkOut):
    """A new link with its address, which is told this once: whoever has it can fetch the file."""

    url: str


class LinkPage(BaseModel):
    """Links, newest first."""

    links: list[LinkOut]
    cursor: str | None = None


class LinksRevoked(BaseModel):
    """How many links went."""

    revoked: int
