"""An answer as it comes off the wire: the result of ``tools/call``, or what a client's library made of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Final, NamedTuple

import pybase64
from pydantic import BaseModel

Block = Mapping[str, Any]

ABSENT: Final[Any] = object()
"""Stands for what was not there at all, which null is not."""

_STRUCTURED = ("structuredContent", "structured_content")
_ERROR = ("isError", "is_error")
_META = ("_meta", "meta")
_PROTOCOL = frozenset({"content", "data", "resultType", *_STRUCTURED, *_ERROR, *_META})
_SIGNS = _PROTOCOL - {"content", "data", "meta"}  # keys that payloads do not happen to have
_NEEDED = {"text": "text", "image": "data", "audio": "data", "resource": "resource", "resource_link": "uri"}


@dataclass(frozen=True)
class Answer:
    """One answer. ``rest`` holds the top-level keys that the protocol does not know: spec 5 lives there."""

    content: Sequence[Block] = ()
    structured: object = ABSENT
    data: object = ABSENT
    is_error: bool = False
    wrapped: bool = False
    rest: Mapping[str, Any] = field(default_factory=dict)

    @property
    def texts(self) -> list[Block]:
        """Return the blocks that are text, in order."""
        return [block for block in self.content if is_text(block)]


class Found(NamedTuple):
    """What a recogniser found: the payload, and the text blocks that it stands for."""

    payload: object
    used: Sequence[Block]


NOTHING: Final = Found(None, ())
"""What is found in an empty answer."""


def is_text(block: Block) -> bool:
    """Tell whether a content block is text."""
    return block.get("type") == "text" and isinstance(block.get("text"), str)


def as_mapping(value: object) -> Mapping[str, Any] | None:
    """See an object (a mapping, a model, a data class) as a mapping of its fields."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True)
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: getattr(value, item.name) for item in fields(value)}
    return None


def answer_of(value: object) -> Answer | None:
    """Read an answer, or its bare list of content blocks; None if the value is something else (say, a payload)."""
    if isinstance(value, list | tuple):
        blocks = _objects(value)
        return Answer(content=blocks) if value and all(map(_known, blocks)) and len(blocks) == len(value) else None
    whole = as_mapping(value)
    if whole is None or not _is_answer(whole):
        return None
    return Answer(
        content=_objects(whole.get("content")),
        structured=_first(whole, _STRUCTURED),
        data=_first(whole, ("data",)),
        is_error=_first(whole, _ERROR) is True,
        wrapped=_marked_as_wrapped(_first(whole, _META)),
        rest={key: item for key, item in whole.items() if key not in _PROTOCOL},
    )


def plain_answer(value: object) -> Answer:
    """See a value that is no answer as one: text as a text block, nothing as no content, all else as structured."""
    if value is None or (isinstance(value, Mapping) and not value):
        return Answer()
    if isinstance(value, str):
        return Answer(content=[{"type": "text", "text": value}])
    if isinstance(value, bytes | bytearray | memoryview):
        return Answer(content=[_bytes_block(bytes(value))])
    return Answer(structured=value)


def _is_answer(whole: Mapping[str, Any]) -> bool:
    if any(key in whole for key in _STRUCTURED):
        return True
    content = whole.get("content")
    if not isinstance(content, list | tuple):
        return False
    blocks = _objects(content)
    if len(blocks) < len(content) or not all(isinstance(block.get("type"), str) for block in blocks):
        return False
    if any(key in whole for key in _SIGNS):
        return True
    return any(map(_known, blocks)) if blocks else whole.keys() <= _PROTOCOL


def _known(block: Block) -> bool:
    return _NEEDED.get(str(block.get("type")), "") in block


def _objects(value: object) -> list[Block]:
    """Return those items of a list that are objects, as mappings."""
    if not isinstance(value, list | tuple):
        return []
    return [block for item in value if (block := as_mapping(item)) is not None]


def _first(whole: Mapping[str, Any], keys: Sequence[str]) -> Any:  # noqa: ANN401  (any JSON value)
    return next((whole[key] for key in keys if whole.get(key) is not None), ABSENT)


def _marked_as_wrapped(meta: object) -> bool:
    own = meta.get("fastmcp", meta.get("_fastmcp")) if isinstance(meta, Mapping) else None
    return isinstance(own, Mapping) and own.get("wrap_result") is True


def _bytes_block(data: bytes) -> Block:
    try:
        return {"type": "text", "text": data.decode()}
    except UnicodeDecodeError:
        blob = pybase64.b64encode(data).decode()
        return {"type": "resource", "resource": {"uri": "output.bin", "blob": blob}}
