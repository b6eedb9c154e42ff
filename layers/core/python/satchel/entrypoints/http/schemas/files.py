"""Requests and responses about files and their shared links."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.files import FileInfo, FileRecord, Source
from satchel.domain.links import MAX_LINK_SECONDS, SharedLink


class FileFields(BaseModel):
    """The metadata of a file that is uploaded as JSON or as a form."""

    name: Annotated[str, Field(max_length=4096)]
    mime: Annotated[str | None, Field(max_length=255)] = None
    session_id: str | None = None


class FileUpload(FileFields):
    """A small file as JSON."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "notes.txt", "b64": "aGVsbG8="}]})

    b64: str


class FileOut(BaseModel):
    """A file in My Files. ``size`` in bytes, ``expires_at`` in seconds since 1970.

    A deferred file waits for the user: ``status`` and ``reason`` say why, ``next_actions`` what the user can do. It is
    deleted at ``expires_at`` unless the user keeps it. A ``temporary`` file is deleted with its session. ``info`` is
    metadata that was read from the content.
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
        """Return the response for a file."""
        return cls.model_validate({**record.model_dump(), "status": record.status, "download_url": download_url})


class StoreReference(BaseModel):
    """The internal storage key of a large file. Clients cannot use it; they download the file by its link."""

    key: str
    internal: bool = True


class FileContent(FileOut):
    """A file with its content: ``b64`` up to the limit ``inline_bytes``, ``s3_ref`` above it."""

    b64: str | None = None
    s3_ref: StoreReference | None = None


class FilePage(BaseModel):
    """Files, newest first."""

    files: list[FileOut]
    cursor: str | None = None


class NewLink(BaseModel):
    """A link to create. It is valid for ``ttl_seconds``."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ttl_seconds": 3600}]})

    ttl_seconds: Annotated[int, Field(ge=1, le=MAX_LINK_SECONDS)] = 3600


class LinkOut(BaseModel):
    """A shared link to one version of a file, valid until ``expires_at`` unless it is revoked."""

    link_id: str
    file_key: str
    version: int
    name: str
    made_at: datetime
    expires_at: datetime

    @classmethod
    def of(cls, link: SharedLink) -> "LinkOut":
        """Return the response for a link, without its URL, which is not stored."""
        return cls(
            link_id=link.link_id,
            file_key=link.claims.file_key,
            version=link.claims.version,
            name=link.name,
            made_at=link.made_at,
            expires_at=link.expires_at,
        )


class LinkWithUrl(LinkOut):
    """A new link with its URL, which no later response has. Anyone with the URL can download the file."""

    url: str


class LinkPage(BaseModel):
    """Links, newest first."""

    links: list[LinkOut]
    cursor: str | None = None


class LinksRevoked(BaseModel):
    """The number of links that were revoked."""

    revoked: int
