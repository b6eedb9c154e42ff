"""Part: ``artifacts`` and ``deferred_artifacts``, those of spec 5 among them (spec 2 §1, spec 3 §6 and §7)."""

from collections.abc import Mapping
from typing import Any

from satchel.contract.shapes import typed
from satchel.contract.shapes.answer import as_mapping
from satchel.contract.shapes.draft import Draft


def take(payload: dict[str, Any], draft: Draft) -> None:
    """Take both lists. A lone object counts as a list of one; null as not given; an empty list as given."""
    artifacts = _taken(payload, "artifacts")
    if artifacts is not None:
        draft.given.setdefault("artifacts", [])
        for number, item in enumerate(artifacts, start=1):
            _add(item, f"artifact {number}", draft)
    deferred = _taken(payload, "deferred_artifacts")
    if deferred is not None:
        draft.given.setdefault("deferred_artifacts", [])
        for number, item in enumerate(deferred, start=1):
            draft.defer(item, f"deferred artifact {number}")


def _add(item: object, label: str, draft: Draft) -> None:
    fields = as_mapping(item)
    if fields is not None and typed.is_typed(fields):
        fields = typed.completed(fields, position=len(draft.artifacts))
    draft.add(item if fields is None else fields, label)


def _taken(payload: dict[str, Any], name: str) -> list[Any] | None:
    value = payload.get(name)
    if not isinstance(value, list | tuple | Mapping | None):
        return None
    payload.pop(name, None)
    if value is None:
        return None
    return [value] if isinstance(value, Mapping) else list(value)
