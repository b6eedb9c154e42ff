"""References to pictures and documents that a model sees. Stored messages contain references, never the bytes."""

from typing import Literal

from pydantic import BaseModel, Field

from satchel.domain.files import NewFile

PDF = "application/pdf"

MAX_PICTURE_BYTES = 3_750_000
"""Maximum size of a picture: Bedrock's limit, which as base64 is also Anthropic's limit (5 MB)."""


def _is_unset(value: object) -> bool:
    return value is None


class MediaRef(BaseModel):
    """A reference to a picture or PDF in the object store. ``key`` is its S3 key, which is never sent to clients.

    ``size`` is in bytes, ``width`` and ``height`` are in pixels. ``tokens`` is an estimate, set only in model requests.
    """

    name: str
    key: str
    mime: str
    size: int
    width: int | None = Field(default=None, exclude_if=_is_unset)
    height: int | None = Field(default=None, exclude_if=_is_unset)
    pages: int | None = Field(default=None, exclude_if=_is_unset)
    tokens: int = Field(default=0, exclude=True)

    @property
    def kind(self) -> Literal["picture", "document"]:
        """Return what the model gets: a picture or a document."""
        return "document" if self.mime == PDF else "picture"


def media_of(record: NewFile) -> MediaRef | None:
    """Return a reference to the file's content if the file is a picture or a PDF, otherwise None."""
    if record.mime != PDF and not record.mime.startswith("image/"):
        return None
    info = record.info
    return MediaRef(
        name=record.name,
        key=record.key,
        mime=record.mime,
        size=record.size,
        width=info.width,
        height=info.height,
        pages=info.pages,
    )
