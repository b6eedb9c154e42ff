"""Recognizers: each looks for the payload (the tool's actual data) in one place of an MCP result.

``normalize.RECOGNIZERS`` defines their order. A recognizer returns None if it does not find the payload.
"""

import logging
from collections.abc import Mapping
from typing import Any

from satchel.contract.jsonable import NotJsonError, parse_json, to_plain_json
from satchel.contract.shapes.mcp_result import ABSENT, Match, McpResult, parse_mcp_result

_CONTENT_KEYS = frozenset({"b64", "path", "content"})
_ARTIFACT_KEYS = _CONTENT_KEYS | {"mime", "type"}
_logger = logging.getLogger(__name__)


def find_structured_content(result: McpResult) -> Match | None:
    """Return ``structuredContent``. If it only wraps another value as ``{"result": value}``, return that value.

    Structured content takes precedence over ``data`` and all texts (clause v1:extract:structured-first).
    """
    if result.structured is ABSENT:
        return None
    payload = _unwrap(result)
    if result.data is not ABSENT and not any(_is_same(result.data, own) for own in (result.structured, payload)):
        _logger.warning("The 'data' of a tool result differs from its structured content; 'data' is ignored.")
    return Match(payload, result.texts)


def find_top_level_results(result: McpResult) -> Match | None:
    """Return the top-level fields that MCP does not define, if they include ``results``: some tools put data there."""
    return Match(result.extra_fields, result.texts) if "results" in result.extra_fields else None


def find_model_text(result: McpResult) -> Match | None:
    """Return the text blocks marked ``forModel``, joined with blank lines (clause v5:model-text:for-model)."""
    marked = [block for block in result.texts if block.get("forModel") is True]
    return Match(_join_texts(marked), marked) if marked else None


def find_json_text(result: McpResult) -> Match | None:
    """Parse the first text block that is JSON. Older servers send data only as text (clause v1:extract:json-text)."""
    for block in result.texts:
        try:
            return Match(parse_json(block["text"]), [block])
        except NotJsonError:
            continue
    return None


def find_plain_text(result: McpResult) -> Match | None:
    """Return all text blocks, joined with blank lines (clause v1:extract:plain-text)."""
    return Match(_join_texts(result.texts), result.texts) if result.texts else None


def find_client_data(result: McpResult) -> Match | None:
    """Return the field ``data``, in which some MCP client libraries store a parsed copy of the result."""
    return None if result.data is ABSENT else Match(result.data, ())


def is_contract_payload(payload: object) -> bool:
    """Return True if a payload follows the contract: it has ``results``, or fields that clearly are files or a canvas.

    Other payloads are a tool's own data and stay unchanged, even if they happen to have a key such as ``display``.
    """
    if not isinstance(payload, Mapping):
        return False
    return "results" in payload or any(check(payload) for check in _CHECKS)


def _join_texts(blocks: list[Mapping[str, Any]]) -> str:
    return "\n\n".join(block["text"] for block in blocks)


def _unwrap(result: McpResult) -> object:
    wrapper = result.structured
    if not isinstance(wrapper, Mapping) or wrapper.keys() != {"result"}:
        return wrapper
    inner = wrapper["result"]
    parsed = _parse_contract(inner)
    if result.wrapped:
        return inner if parsed is None else parsed
    # Some servers wrap a text as {"result": text}, but do not mark the result as wrapped. If a text block contains the
    # same text, the text was wrapped.
    if parsed is not None and any(block["text"] == inner for block in result.texts):
        return parsed
    return wrapper


def _parse_contract(text: object) -> object | None:
    """Return the parsed text if it is the JSON of a contract payload or of an MCP result, otherwise None."""
    if not isinstance(text, str):
        return None
    try:
        value: object = parse_json(text)
    except NotJsonError:
        return None
    return value if is_contract_payload(value) or parse_mcp_result(value) is not None else None


def _is_same(one: object, other: object) -> bool:
    try:
        return bool(to_plain_json(one) == to_plain_json(other))
    except NotJsonError:
        return False


def _has_artifacts(payload: Mapping[str, Any]) -> bool:
    return any(_is_artifact(item) for key in ("artifacts", "deferred_artifacts") for item in _items(payload, key))


def _has_v1_arrays(payload: Mapping[str, Any]) -> bool:
    return bool(_items(payload, "returned_file_contents"))


def _has_bibliography(payload: Mapping[str, Any]) -> bool:
    return any(isinstance(item, Mapping) for item in _items(payload, "bibliography"))


def _has_grant(payload: Mapping[str, Any]) -> bool:
    grant = payload.get("grantMarkdown")
    return isinstance(grant, Mapping) and isinstance(grant.get("content"), str)


def _has_canvas(payload: Mapping[str, Any]) -> bool:
    canvas, display = payload.get("canvas"), payload.get("display")
    if isinstance(display, Mapping) and display.get("type") == "iframe" and isinstance(display.get("url"), str):
        return True  # older tools describe dashboards in this form
    return isinstance(canvas, Mapping) and isinstance(canvas.get("url"), str)


def _is_artifact(item: object) -> bool:
    if not isinstance(item, Mapping):
        return False
    has_name = isinstance(item.get("name"), str) or isinstance(item.get("title"), str)
    return has_name and not _CONTENT_KEYS.isdisjoint(item) and not _ARTIFACT_KEYS.isdisjoint(item)


def _items(payload: Mapping[str, Any], key: str) -> list[Any]:
    value = payload.get(key)
    return list(value) if isinstance(value, list | tuple) else []


_CHECKS = (_has_artifacts, _has_v1_arrays, _has_bibliography, _has_grant, _has_canvas)
