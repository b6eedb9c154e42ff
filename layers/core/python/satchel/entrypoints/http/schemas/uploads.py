"""Request and response bodies of the routes for uploads in parts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from satchel.domain.uploads import (
    MAX_PARTS,
    MAX_SIGNED_PARTS,
    Part,
    Sha256,
    SignedPart,
    StoredPart,
    Upload,
    part_bytes_for,
    part_count_of,
)
from satchel.entrypoints.http.schemas.files import FileFields

_MAX_SIZE = 1 << 63  # DynamoDB can store every smaller number; the configured file size limit is much lower
_EXAMPLE_SHA256 = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="


class NewUpload(FileFields):
    """A file to upload in parts. For each checksum in ``sha256``, the response contains the URL of a part, in order."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "notes.txt", "size": 5, "sha256": [_EXAMPLE_SHA256]}]}
    )

    size: Annotated[int, Field(ge=0, lt=_MAX_SIZE, description="Bytes of the file.")]
    sha256: Annotated[Sequence[Sha256], Field(max_length=MAX_SIGNED_PARTS)] = ()

    @model_validator(mode="after")
    def _check_number_of_checksums(self) -> Self:
        if len(self.sha256) > part_count_of(self.size, part_bytes_for(self.size)):
            raise ValueError("there are more checksums than parts")
        return self

    def parts(self) -> list[Part]:
        """Return the parts whose checksums the request contains. The response will contain their presigned URLs."""
        return [Part(number=number, sha256=sha256) for number, sha256 in enumerate(self.sha256, 1)]


class PartToSign(BaseModel):
    """A part that the client will send: its number (starting at 1), and the SHA-256 of its content as base64."""

    model_config = ConfigDict(extra="forbid")

    number: Annotated[int, Field(ge=1, le=MAX_PARTS)]
    sha256: Sha256


class PartsToSign(BaseModel):
    """The parts for which the client requests presigned URLs."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"parts": [{"number": 1, "sha256": _EXAMPLE_SHA256}]}]}
    )

    parts: Annotated[list[PartToSign], Field(min_length=1, max_length=MAX_SIGNED_PARTS)]


class UploadOut(BaseModel):
    """An unfinished upload. Every part has ``part_bytes`` bytes, except the last part, which may be shorter."""

    upload_id: str
    name: str
    mime: str
    size: int
    session_id: str | None
    app: str | None = None
    part_bytes: int
    part_count: int
    created_at: datetime
    expires_at: datetime

    @classmethod
    def of(cls, upload: Upload) -> "UploadOut":
        """Convert an upload to its JSON response, with the file name as the client sent it."""
        return cls(
            upload_id=upload.upload_id,
            name=upload.file.raw_name,
            mime=upload.file.mime,
            size=upload.file.size,
            session_id=upload.file.session_id,
            app=upload.file.app,
            part_bytes=upload.part_bytes,
            part_count=upload.part_count,
            created_at=upload.file.created_at,
            expires_at=upload.expires_at,
        )


class SignedParts(BaseModel):
    """Presigned URLs. PUT each part to its ``url`` with its ``headers`` before ``expires_at``, or request a new URL."""

    parts: list[SignedPart]


class StartedUpload(UploadOut, SignedParts):
    """A new upload, with presigned URLs for the parts whose checksums the request contained."""


class StoredPartOut(BaseModel):
    """A stored part, which the client need not send again. ``sha256`` is null if the store does not report it."""

    number: int
    size: int
    sha256: str | None

    @classmethod
    def of(cls, part: StoredPart) -> "StoredPartOut":
        """Convert a stored part to its JSON response."""
        return cls.model_validate(part.model_dump())


class UploadWithParts(UploadOut):
    """An unfinished upload and a page of its stored parts, ordered by number."""

    stored: list[StoredPartOut]
    cursor: str | None = None


class UploadPage(BaseModel):
    """A page of unfinished uploads, newest first."""

    uploads: list[UploadOut]
    cursor: str | None = None
