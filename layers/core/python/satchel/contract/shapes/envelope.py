"""Part: the fields of the contract that are no files (spec 1, spec 2 §1 and §3, spec 3 §1 and §8)."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from satchel.contract.models import ArtifactProblem, Canvas, Display
from satchel.contract.shapes.answer import ABSENT
from satchel.contract.shapes.draft import Draft

_FIELDS: dict[str, TypeAdapter[Any]] = {
    "retryable": TypeAdapter(bool),
    "display": TypeAdapter(Display),
    "canvas": TypeAdapter(Canvas),
}
_PROBLEMS = TypeAdapter(list[ArtifactProblem])


def take(payload: dict[str, Any], draft: Draft) -> None:
    """Take ``results``, ``meta_data`` (``meta-data``), ``retryable``, ``display`` and ``canvas``.

    What is of a wrong type stays in the payload; null means not given. Our own ``problems`` and ``unknown`` are read
    back.
    """
    if "results" in payload and draft.results is ABSENT:
        draft.results = payload.pop("results")
    for name in ("meta_data", "meta-data"):
        if isinstance(_given(payload, name), Mapping):
            draft.add_facts(payload.pop(name))
    for name, adapter in _FIELDS.items():
        if name not in draft.given and (value := _read(payload, name, adapter)) is not None:
            draft.given[name] = value
    if problems := _read(payload, "problems", _PROBLEMS):
        draft.given.setdefault("problems", []).extend(problems)
    if isinstance(_given(payload, "unknown"), Mapping):
        draft.set_aside(payload.pop("unknown"))


def _given(payload: dict[str, Any], name: str) -> Any:  # noqa: ANN401  (any JSON value)
    """Look at a field; one that is null is taken out, for it is as good as none."""
    if payload.get(name, ABSENT) is None:
        del payload[name]
    return payload.get(name)


def _read(payload: dict[str, Any], name: str, adapter: TypeAdapter[Any]) -> Any:  # noqa: ANN401  (what the adapter makes)
    value = _given(payload, name)
    if value is None:
        return None
    try:
        read = adapter.validate_python(value)
    except ValidationError:
        return None
    del payload[name]
    return read
