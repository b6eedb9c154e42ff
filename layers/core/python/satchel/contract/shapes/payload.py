"""What makes a payload one of the contract: only then are its keys ours to interpret."""

from collections.abc import Mapping
from typing import Any

_BYTES = frozenset({"b64", "path", "content"})
_ARTIFACT = _BYTES | {"mime", "type"}


def is_contract(payload: object) -> bool:
    """Tell whether a payload speaks the contract: ``results``, or without it (spec 3 §5.2) clearly a file or a canvas.

    A tool's own data may well hold a key ``artifacts`` or ``display``; what is no file stays data.
    """
    if not isinstance(payload, Mapping):
        return False
    return "results" in payload or any(sign(payload) for sign in _SIGNS)


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
    canvas = payload.get("canvas")
    return isinstance(canvas, Mapping) and isinstance(canvas.get("url"), str)


def _is_artifact(item: object) -> bool:
    if not isinstance(item, Mapping):
        return False
    named = isinstance(item.get("name"), str) or isinstance(item.get("title"), str)
    return named and not _BYTES.isdisjoint(item) and not _ARTIFACT.isdisjoint(item)


def _items(payload: Mapping[str, Any], key: str) -> list[Any]:
    value = payload.get(key)
    return list(value) if isinstance(value, list | tuple) else []


_SIGNS = (_has_artifacts, _has_v1_arrays, _has_bibliography, _has_grant, _has_canvas)
