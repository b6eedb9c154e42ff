"""What goes over the wire about uploads in parts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from satchel.domain.uploads import (
    MAX_PARTS,
    MAX_SIGNED,
    Part,
    Sha256,
    SignedPart,
    StoredPart,
    Upload,
    part_bytes_for,
    part_count_of,
)
from satchel.entrypoints.http.schemas.files import FileFields

_MAX_SIZE = 1 << 63  # what a number of the table may be; the limit of files is far below
_EXAMPLE_SHA256 = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="


class NewUpload(FileFields):
    """A file that is to be uploaded in parts. ``sha256`` are the checksums of its first parts, where they are known."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "notes.txt", "size": 5, "sha256": [_EXAMPLE_SHA256]}]}
    )

    size: Annotated[int, Field(ge=0, lt=_MAX_SIZE, description="Bytes of the file.")]
    sha256: Annotated[Sequence[Sha256], Field(max_length=MAX_SIGNED)] = ()

    @model_validator(mode="after")
    def _no_more_than_there_are(self) -> Self:
        if len(self.sha256) > part_count_of(self.size, part_bytes_for(self.size)):
            raise ValueError("there are more checksums than parts")
        return self

    def parts(self) -> list[Part]:
        """Return the parts that can be signed at once."""
        return [Part(number=number, sha256=sha256) for number, sha256 in enumerate(self.sha256, 1)]


class WantedPart(BaseModel):
    """A part to be signed: its number, from 1 on, and the SHA-256 of its bytes as base64."""

    number: Annotated[int, Field(ge=1, le=MAX_PARTS)]
    sha256: Sha256


class WantedParts(BaseModel):
    """Parts to be signed."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"parts": [{"number": 1, "sha256": _EXAMPLE_SHA256}]}]})

    parts: Annotated[list[WantedPart], Field(min_length=1, max_length=MAX_SIGNED)]


class UploadOut(BaseModel):
    """An upload on its way. Each part has ``part_bytes``, the last one what is left. Sizes in bytes."""

    upload_id: str
    name: str
    mime: str
    size: int
    session_id: str | None
    part_bytes: int
    part_count: int
    created_at: datetime
    expires_at: datetime

    @classmethod
    def of(cls, upload: Upload) -> "UploadOut":
        """Show an upload under the name that it came with, by which its sender knows it again."""
        return cls(
            upload_id=upload.upload_id,
            name=upload.file.raw_name,
            mime=upload.file.mime,
            size=upload.file.size,
            session_id=upload.file.session_id,
            part_bytes=upload.part_bytes,
            part_count=upload.part_count,
            created_at=upload.file.created_at,
            expires_at=upload.expires_at,
        )


class SignedParts(BaseModel):
    """PUT each part's bytes to its ``url`` with its ``headers`` before ``expires_at``; ask again where that is over."""

    parts: list[SignedPart]


class UploadBegun(UploadOut, SignedParts):
    """An upload that has begun, with the parts whose checksums were given, signed."""


class StoredPartOut(BaseModel):
    """A part that has come and need not be sent again. ``sha256`` is null where the store does not tell."""

    number: int
    size: int
    sha256: str | None

    @classmethod
    def of(cls, part: StoredPart) -> "StoredPartOut":
        """Show a part."""
        return cls.model_validate(part.model_dump())


class UploadWithParts(UploadOut):
    """An upload with a page of the parts that have come, by number."""

    stored: list[StoredPartOut]
    cursor: str | None = None


class UploadPage(BaseModel):
    """Uploads on their way, newest first."""

    uploads: list[UploadOut]
    cursor: str | None = None
