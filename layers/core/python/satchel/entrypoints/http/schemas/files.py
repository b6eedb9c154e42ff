"""Request and response bodies of the routes for files and shared links."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.files import FileInfo, FileRecord, Source
from satchel.domain.links import MAX_LINK_SECONDS, SharedLink


class FileFields(BaseModel):
    """The fields that describe an uploaded file."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(max_length=4096, description="The file's name. A path is shortened to its last part.")]
    mime: Annotated[
        str | None, Field(max_length=255, description="The media type. By default, it follows from the name.")
    ] = None
    session_id: Annotated[
        str | None, Field(description="The session that the file belongs to. By default, only to My Files.")
    ] = None
    app_key: Annotated[
        str | None,
        Field(max_length=100, description="The user's app that creates the file. The file belongs to its session."),
    ] = None


class FileForm(BaseModel):
    """A form with a small file. Its other fields are optional; empty fields count as omitted."""

    model_config = ConfigDict(extra="forbid")

    file: Annotated[
        str,
        Field(
            description="The file, with its name and media type in the headers of its part.",
            json_schema_extra={"format": "binary", "contentMediaType": "application/octet-stream"},
        ),
    ]
    name: Annotated[str, Field(max_length=4096, description="The file's name, instead of the name in its part.")] = ""
    mime: Annotated[str, Field(max_length=255, description="The media type, instead of that in its part.")] = ""
    session_id: Annotated[str, Field(description="The session that the file belongs to.")] = ""
    app_key: Annotated[
        str, Field(description="The user's app that creates the file. The file belongs to its session.")
    ] = ""


class FileUpload(FileFields):
    """An upload of a small file as JSON, with its content as base64."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "notes.txt", "b64": "aGVsbG8="}]})

    b64: str


class FileOut(BaseModel):
    """A file of the user. ``size`` is in bytes. ``app`` is the tool (server and name) whose app created the file.

    A deferred file needs a decision of the user: ``status`` and ``reason`` say why, and ``next_actions`` lists what the
    user can do. A deferred file is deleted at ``expires_at`` unless the user keeps it. A ``temporary`` file is deleted
    with its session. ``info`` is metadata that was read from the file's content.
    """

    file_key: str
    name: str
    mime: str
    size: int
    source: Source
    app: str | None = None
    version: int
    session_id: str | None
    created_at: datetime
    description: str | None
    category: str | None
    viewer: str | None
    auto_open: bool
    temporary: bool
    expires_at: datetime | None
    status: str | None
    reason: str | None
    next_actions: list[str]
    info: FileInfo
    download_url: str | None = None

    @classmethod
    def of(cls, record: FileRecord, download_url: str | None = None) -> "FileOut":
        """Convert a file record to its JSON response."""
        added = {"status": record.status, "expires_at": record.expiry, "download_url": download_url}
        return cls.model_validate(record.model_dump() | added)


class StoreReference(BaseModel):
    """The internal storage key of a large file. Clients cannot use the key; they download the file by its link."""

    key: str
    internal: bool = True


class FileContent(FileOut):
    """A file with its content in ``b64`` or, if it is larger than the limit ``inline_bytes``, with ``s3_ref``."""

    b64: str | None = None
    s3_ref: StoreReference | None = None


class FilePage(BaseModel):
    """A page of files, newest first."""

    files: list[FileOut]
    cursor: str | None = None


class FileVersions(BaseModel):
    """A page of the versions of a file, newest first. Each has a link to exactly that version."""

    versions: list[FileOut]
    cursor: str | None = None


class NewLink(BaseModel):
    """A shared link to create, valid for ``ttl_seconds``."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"ttl_seconds": 3600}]})

    ttl_seconds: Annotated[int, Field(ge=1, le=MAX_LINK_SECONDS)] = 3600


class LinkOut(BaseModel):
    """A shared link to one version of a file, valid until ``expires_at`` unless it is revoked."""

    link_id: str
    file_key: str
    version: int
    name: str
    created_at: datetime
    made_at: Annotated[datetime, Field(description="The same as `created_at`.", json_schema_extra={"deprecated": True})]
    expires_at: datetime

    @classmethod
    def of(cls, link: SharedLink) -> "LinkOut":
        """Convert a link to its JSON response, without the link's URL, because the URL is not stored."""
        return cls(
            link_id=link.link_id,
            file_key=link.claims.file_key,
            version=link.claims.version,
            name=link.name,
            created_at=link.made_at,
            made_at=link.made_at,
            expires_at=link.expires_at,
        )


class LinkWithUrl(LinkOut):
    """A new link with its URL, which is returned only once. Anyone with the URL can download the file."""

    url: str


class LinkPage(BaseModel):
    """A page of shared links, newest first."""

    links: list[LinkOut]
    cursor: str | None = None


class LinksRevoked(BaseModel):
    """The result of revoking all links: the number of links that were revoked."""

    revoked: int
