"""Files that come with a tool's result (spec 2 §1, spec 3 §6 and §7, spec 5)."""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, model_validator

from satchel.contract import base64
from satchel.contract.codes import ErrorCode
from satchel.contract.jsonable import JsonObject, Text, text_of, well_formed
from satchel.contract.media import valid_mime
from satchel.contract.models.lenient import LenientModel

DEFAULT_EXPIRES_HOURS = 72
MAX_EXPIRES_HOURS = 8760


def _not_empty(text: str) -> str:
    if not text:
        raise ValueError("empty")
    return text


def _content_text(value: Any) -> Any:  # noqa: ANN401  (validators pass on what is not theirs)
    return well_formed(value) if isinstance(value, str) else text_of(value)


def _within_a_year(value: Any) -> Any:  # noqa: ANN401  (validators pass on what is not theirs)
    return min(max(value, 1), MAX_EXPIRES_HOURS) if isinstance(value, int | float) else value


def _as_list(value: Any) -> Any:  # noqa: ANN401  (validators pass on what is not theirs)
    return [value] if isinstance(value, str) else value


Name = Annotated[Text, AfterValidator(_not_empty)]
Mime = Annotated[Text, AfterValidator(valid_mime)]
Base64 = Annotated[Text, AfterValidator(base64.checked)]
Content = Annotated[str, BeforeValidator(_content_text)]


class Artifact(LenientModel):
    """One file, with its bytes in ``b64``, at ``path``, as text in ``content``, or, not to be had here, at ``uri``.

    ``name`` is as the tool wrote it; who stores the file applies ``safe_name``. ``b64`` is known to decode, without
    prefix and white space. ``size`` (bytes) is exact for ``b64`` and ``content``, else the tool's word. ``id``,
    ``type``, ``title``, ``position``, ``language`` and ``metadata`` are those of spec 5. Raises ValidationError
    without name, mime or bytes.
    """

    essential: ClassVar[frozenset[str]] = frozenset({"name", "mime", "b64", "path", "content", "uri"})

    name: Name
    mime: Mime
    b64: Base64 | None = Field(default=None, repr=False)
    path: Name | None = None
    content: Content | None = Field(default=None, repr=False)
    uri: Name | None = None
    size: int | None = Field(default=None, ge=0)
    description: Text | None = None
    viewer: Text | None = None
    category: Text | None = None
    auto_open: bool | None = None
    id: Text | None = None
    type: Text | None = None
    title: Text | None = None
    position: int | None = Field(default=None, ge=0)
    language: Text | None = None
    metadata: JsonObject | None = None

    @model_validator(mode="after")
    def _has_bytes(self) -> Self:
        if self.b64 is None and self.path is None and self.content is None and self.uri is None:
            raise ValueError("neither b64 nor path nor content")
        if self.source == "b64":
            self.size = base64.decoded_size(self.b64 or "")
        elif self.source == "content":
            self.size = len((self.content or "").encode())
        return self

    @property
    def source(self) -> Literal["b64", "path", "content", "uri"]:
        """Tell where the bytes are; of several that a tool gave, the first of this order counts."""
        if self.b64 is not None:
            return "b64"
        if self.path is not None:
            return "path"
        return "uri" if self.content is None else "content"

    def inline_bytes(self) -> bytes | None:
        """Return the bytes that the result itself carries; None where the file is elsewhere."""
        if self.source == "b64":
            return base64.decode(self.b64 or "")
        return (self.content or "").encode() if self.source == "content" else None


class DeferredArtifact(LenientModel):
    """A file that was made but waits for somebody (spec 3 §7). Raises ValidationError without name, path or mime."""

    essential: ClassVar[frozenset[str]] = frozenset({"name", "path", "mime"})

    name: Name
    path: Name
    mime: Mime
    description: Text | None = None
    reason: Text | None = None
    next_actions: Annotated[list[Text], BeforeValidator(_as_list)] = Field(default_factory=list)
    category: Text | None = None
    expires_hours: Annotated[int, BeforeValidator(_within_a_year)] = DEFAULT_EXPIRES_HOURS


class ArtifactProblem(BaseModel):
    """An artifact that could not be kept, by name, and why. The others of its call are not touched by it."""

    name: Text
    code: ErrorCode = ErrorCode.E_INVALID_ARTIFACT
    reason: Text
