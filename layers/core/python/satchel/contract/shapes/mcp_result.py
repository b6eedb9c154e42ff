"""Parse the result of an MCP ``tools/call``: its raw JSON, or the object into which an MCP library converted it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Final, NamedTuple

import pybase64
from pydantic import BaseModel

Block = Mapping[str, Any]

ABSENT: Final[Any] = object()
"""Marks a missing value, because None means JSON null."""

_STRUCTURED = ("structuredContent", "structured_content")
_ERROR = ("isError", "is_error")
_META = ("_meta", "meta")
_PROTOCOL = frozenset({"content", "data", "resultType", *_STRUCTURED, *_ERROR, *_META})
_MARKERS = _PROTOCOL - {"content", "data", "meta"}  # rare in other data, so these keys identify an MCP result
_REQUIRED_KEYS = {"text": "text", "image": "data", "audio": "data", "resource": "resource", "resource_link": "uri"}


@dataclass(frozen=True)
class McpResult:
    """One MCP ``tools/call`` result. If ``wrapped``, the server sent a non-object value as ``{"result": value}``.

    ``extra_fields`` are top-level fields that MCP does not define. Some tools return typed artifacts in them.
    """

    content: Sequence[Block] = ()
    structured: object = ABSENT
    data: object = ABSENT
    is_error: bool = False
    wrapped: bool = False
    extra_fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def texts(self) -> list[Block]:
        """Return the content blocks that are text, in order."""
        return [block for block in self.content if is_text(block)]


class Match(NamedTuple):
    """The payload (a tool's actual data) of an MCP result. ``used_blocks`` are the text blocks with the same data."""

    payload: object
    used_blocks: Sequence[Block]


NO_MATCH: Final = Match(None, ())
"""The match if no recognizer finds a payload, as in an empty MCP result."""


def is_text(block: Block) -> bool:
    """Return True if an MCP content block has the type ``text`` and contains a string."""
    return block.get("type") == "text" and isinstance(block.get("text"), str)


def as_mapping(value: object) -> Mapping[str, Any] | None:
    """Convert a mapping, pydantic model or data class to a mapping of its fields. Return None for other values."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True)
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: getattr(value, item.name) for item in fields(value)}
    return None


def parse_mcp_result(value: object) -> McpResult | None:
    """Parse an MCP result or a bare list of content blocks. Return None for other values, such as a tool's own data."""
    if isinstance(value, list | tuple):
        blocks = _mappings_in(value)
        is_content = value and len(blocks) == len(value) and all(map(_is_complete, blocks))
        return McpResult(content=blocks) if is_content else None
    result = as_mapping(value)
    if result is None or not _is_mcp_result(result):
        return None
    return McpResult(
        content=_mappings_in(result.get("content")),
        structured=_first_value(result, _STRUCTURED),
        data=_first_value(result, ("data",)),
        is_error=_first_value(result, _ERROR) is True,
        wrapped=_is_marked_as_wrapped(_first_value(result, _META)),
        extra_fields={key: item for key, item in result.items() if key not in _PROTOCOL},
    )


def wrap_value(value: object) -> McpResult:
    """Return an MCP result that contains the value: text or bytes as content, other values as structured content.

    None and {} give an empty result.
    """
    if value is None or (isinstance(value, Mapping) and not value):
        return McpResult()
    if isinstance(value, str):
        return McpResult(content=[{"type": "text", "text": value}])
    if isinstance(value, bytes | bytearray | memoryview):
        return McpResult(content=[_to_block(bytes(value))])
    return McpResult(structured=value)


def _is_mcp_result(value: Mapping[str, Any]) -> bool:
    if any(key in value for key in _STRUCTURED):
        return True
    content = value.get("content")
    if not isinstance(content, list | tuple):
        return False
    blocks = _mappings_in(content)
    if len(blocks) < len(content) or not all(isinstance(block.get("type"), str) for block in blocks):
        return False
    if any(key in value for key in _MARKERS):
        return True
    return any(map(_is_complete, blocks)) if blocks else value.keys() <= _PROTOCOL


def _is_complete(block: Block) -> bool:
    """Return True if the content block has a known type and the key that this type requires."""
    return _REQUIRED_KEYS.get(str(block.get("type")), "") in block


def _mappings_in(value: object) -> list[Block]:
    if not isinstance(value, list | tuple):
        return []
    return [block for item in value if (block := as_mapping(item)) is not None]


def _first_value(result: Mapping[str, Any], keys: Sequence[str]) -> Any:  # noqa: ANN401  (any JSON value)
    return next((result[key] for key in keys if result.get(key) is not None), ABSENT)


def _is_marked_as_wrapped(meta: object) -> bool:
    marker = meta.get("fastmcp", meta.get("_fastmcp")) if isinstance(meta, Mapping) else None
    return isinstance(marker, Mapping) and marker.get("wrap_result") is True


def _to_block(data: bytes) -> Block:
    try:
        return {"type": "text", "text": data.decode()}
    except UnicodeDecodeError:
        blob = pybase64.b64encode(data).decode()
        return {"type": "resource", "resource": {"uri": "output.bin", "blob": blob}}
