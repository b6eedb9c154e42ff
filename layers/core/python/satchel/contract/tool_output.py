"""Data types for the normalized result of a tool call: results, files, display hints and problems.

``normalize`` builds a ``ToolOutput`` from the tool's raw result; every later step of Satchel reads the ``ToolOutput``.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)

from satchel.contract import base64, binary_types
from satchel.contract.errors import ErrorCode, ToolError
from satchel.contract.file_names import safe_name
from satchel.contract.jsonable import Json, JsonObject, Text, replace_surrogates, to_json_text
from satchel.contract.media_types import UNKNOWN, mime_of, normalize_mime

DEFAULT_EXPIRES_HOURS = 72
MAX_EXPIRES_HOURS = 8760


class LenientModel(BaseModel):
    """Base class for models that parse tools' data. It drops invalid optional fields instead of rejecting all data.

    Null fields, invalid fields and unknown keys count as missing, but an invalid field of ``required_fields`` raises
    ValidationError. ``model_fields_set`` therefore contains exactly the fields that the tool set to a valid value.
    """

    model_config = ConfigDict(coerce_numbers_to_str=True)
    required_fields: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="wrap")
    @classmethod
    def _drop_invalid_fields(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401
        if not isinstance(data, Mapping):
            return handler(data)
        fields = {key: value for key, value in data.items() if value is not None}
        try:
            return handler(fields)
        except ValidationError as error:
            invalid = {str(fault["loc"][0]) for fault in error.errors(include_input=False) if fault["loc"]}
            if not invalid or invalid & cls.required_fields:
                raise
        return handler({key: value for key, value in fields.items() if key not in invalid})

    def _set_unstated(self, field: str, value: object) -> None:
        """Set a field to a value that the tool did not state, so that it is not in ``model_fields_set``."""
        setattr(self, field, value)
        self.model_fields_set.discard(field)


def describe_validation_error(error: ValidationError) -> str:
    """Return one line that describes all faults of the error. Omit the invalid values: they can be megabytes long."""
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    return "; ".join(_describe_fault(".".join(map(str, fault["loc"])), fault["msg"]) for fault in faults)


def _describe_fault(location: str, message: str) -> str:
    if message == "Field required":
        return f"no {location}"
    message = message.removeprefix("Value error, ")
    return f"{location}: {message}" if location else message


def _reject_empty(text: str) -> str:
    if not text:
        raise ValueError("empty")
    return text


def _to_content_text(value: Any) -> Any:  # noqa: ANN401  (validators pass other types through)
    return replace_surrogates(value) if isinstance(value, str) else to_json_text(value)


def _clamp_expires_hours(value: Any) -> Any:  # noqa: ANN401  (validators pass other types through)
    return min(max(value, 1), MAX_EXPIRES_HOURS) if isinstance(value, int | float) else value


def _to_list(value: Any) -> Any:  # noqa: ANN401  (validators pass other types through)
    return [value] if isinstance(value, str) else value


Name = Annotated[Text, AfterValidator(_reject_empty)]
Mime = Annotated[Text, AfterValidator(normalize_mime)]
Base64 = Annotated[Text, AfterValidator(base64.validate)]
Content = Annotated[str, BeforeValidator(_to_content_text)]


class Artifact(LenientModel):
    """One file of a tool result. Its bytes are in ``b64``, at ``path``, in ``content`` (text), or at a remote ``uri``.

    ``name`` is the name that the tool chose. It may be unsafe, so apply ``safe_name`` before storing the file.
    ``b64`` is valid base64 without prefix and whitespace. Base64 of a binary type in ``content`` is moved to ``b64``.
    ``size`` is in bytes. It is exact for ``b64`` and ``content``; for other sources, it is what the tool claimed.
    A missing ``mime`` is guessed from the name or the bytes. A guessed ``mime`` is not in ``model_fields_set``.
    If ``audience`` is ``assistant``, only the model sees the picture: it does not become a file of the user.
    Raises ValidationError if the name or the bytes are missing, or if ``content`` does not fit its type.
    """

    required_fields: ClassVar[frozenset[str]] = frozenset({"name", "mime", "b64", "path", "content", "uri"})

    name: Name
    mime: Mime = UNKNOWN
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
    audience: Literal["assistant"] | None = None

    @model_validator(mode="after")
    def _check_source_and_size(self) -> Self:
        if self.b64 is None and self.path is None and self.content is None and self.uri is None:
            raise ValueError("no b64, path or content")
        if "mime" not in self.model_fields_set:
            self._set_unstated("mime", self._guess_mime())
        if (
            self.source == "content"
            and (body := binary_types.decode_content(self.mime, self.content or "")) is not None
        ):
            self.b64 = body
            self._set_unstated("content", None)
        if self.source == "b64":
            self.size = base64.decoded_size(self.b64 or "")
        elif self.source == "content":
            self.size = len((self.content or "").encode())
        return self

    def _guess_mime(self) -> str:
        by_name = mime_of(safe_name(self.name))
        if by_name != UNKNOWN or self.source == "path":
            return by_name
        return binary_types.guess_mime((self.inline_bytes() or b"")[: binary_types.HEAD_BYTES])

    @property
    def source(self) -> Literal["b64", "path", "content", "uri"]:
        """Return the name of the field with the file's bytes: the first of b64, path, content and uri that is set."""
        if self.b64 is not None:
            return "b64"
        if self.path is not None:
            return "path"
        return "uri" if self.content is None else "content"

    def inline_bytes(self) -> bytes | None:
        """Return the file's bytes if the result itself contains them (``b64`` or ``content``), otherwise None."""
        if self.source == "b64":
            return base64.decode(self.b64 or "")
        return (self.content or "").encode() if self.source == "content" else None


class DeferredArtifact(LenientModel):
    """A file that expires unless the user keeps it. Raises ValidationError if name or path is missing."""

    required_fields: ClassVar[frozenset[str]] = frozenset({"name", "path", "mime"})

    name: Name
    path: Name
    mime: Mime = UNKNOWN
    description: Text | None = None
    reason: Text | None = None
    next_actions: Annotated[list[Text], BeforeValidator(_to_list)] = Field(default_factory=list)
    category: Text | None = None
    expires_hours: Annotated[int, BeforeValidator(_clamp_expires_hours)] = DEFAULT_EXPIRES_HOURS

    @model_validator(mode="after")
    def _fill_mime(self) -> Self:
        if "mime" not in self.model_fields_set:
            self._set_unstated("mime", mime_of(safe_name(self.name)))
        return self


class ArtifactProblem(BaseModel):
    """An artifact that could not be stored, and why. It does not affect the other artifacts of the call."""

    name: Text
    code: ErrorCode = ErrorCode.E_INVALID_ARTIFACT
    reason: Text


Mode = Literal["replace", "append", "split"]


class Display(LenientModel):
    """A tool's hints for the canvas (the panel that shows files), such as the file to show and whether to open it."""

    open_canvas: bool = False
    primary_file: Text | None = None
    mode: Mode | None = None
    viewer_hint: Text | None = None
    storage_action: Literal["store", "store_and_open", "temporary"] = "store"
    category_hint: Text | None = None
    notification: Text | None = None


class Canvas(LenientModel):
    """A dashboard that the canvas shows in an iframe. Check the origin of ``url`` first: the tool can set any URL."""

    open: bool = True
    id: Text | None = None
    persistence: Literal["session", "ephemeral", "pinned"] = "session"
    type: Text = "iframe"
    url: Text | None = None
    token: Text | None = Field(default=None, repr=False)
    title: Text | None = None
    mode: Mode | None = None


class ToolOutput(BaseModel):
    """The normalized result of a tool call. Fields that the tool did not set are not in ``model_fields_set``.

    Even 0 and "" are valid ``results``. ``problems`` are the artifacts that could not be stored. ``unknown``
    holds fields outside the contract: they are stored, but shown neither to the user nor to the model.
    """

    results: Json = None
    meta_data: JsonObject = {}
    artifacts: list[Artifact] = []
    deferred_artifacts: list[DeferredArtifact] = []
    display: Display | None = None
    canvas: Canvas | None = None
    retryable: bool | None = None
    problems: list[ArtifactProblem] = []
    unknown: JsonObject = {}

    @classmethod
    def from_error(cls, error: ToolError) -> Self:
        """Return the output of a failed call: the error message is in ``results``, the details are in ``meta_data``."""
        meta_data: dict[str, Any] = {
            "is_error": True,
            "reason": error.reason,
            "error_code": error.code.value,
            "details": error.details,
        }
        if error.retryable is not None:
            meta_data["retryable"] = error.retryable
        return cls(results={"error": error.message}, meta_data=meta_data)

    @property
    def is_error(self) -> bool:
        """Return True if the call failed."""
        return self.meta_data.get("is_error") is True

    @property
    def error_code(self) -> ErrorCode | None:
        """Return the error code of a failed call, or None if the call succeeded or the code is not an ``ErrorCode``."""
        code = str(self.meta_data.get("error_code"))
        return ErrorCode[code] if self.is_error and code in ErrorCode.__members__ else None

    def envelope(self) -> dict[str, Any]:
        """Return the output as a JSON object that contains only the fields that the tool or Satchel set."""
        return self.model_dump(mode="json", exclude_unset=True)
