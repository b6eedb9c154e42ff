"""Extractors for the contract's fields: results and display hints, artifact lists, and the file arrays of contract v1.

An extractor moves the fields that it knows from the payload (the tool's data) to the builder. A field of a wrong type
stays in the payload. A null field counts as missing.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from satchel.contract.shapes import typed_artifacts
from satchel.contract.shapes.mcp_result import ABSENT, as_mapping
from satchel.contract.shapes.output_builder import OutputBuilder
from satchel.contract.tool_output import ArtifactProblem, Canvas, Display

_ADAPTERS: dict[str, TypeAdapter[Any]] = {
    "retryable": TypeAdapter(bool),
    "display": TypeAdapter(Display),
    "canvas": TypeAdapter(Canvas),
}
_PROBLEMS = TypeAdapter(list[ArtifactProblem], config=ConfigDict(defer_build=True))
_V1_NAMES = "returned_file_names"
_V1_CONTENTS = "returned_file_contents"


def extract_envelope(payload: dict[str, Any], builder: OutputBuilder) -> None:
    """Move ``results``, ``meta_data`` (or ``meta-data``), ``retryable``, ``display`` and ``canvas`` to the builder.

    Also move ``problems`` and ``unknown``, which exist only in a payload that was normalized before.
    """
    if "results" in payload and builder.results is ABSENT:
        builder.results = payload.pop("results")
    for name in ("meta_data", "meta-data"):
        if isinstance(_get_or_drop_null(payload, name), Mapping):
            builder.add_meta_data(payload.pop(name))
    dashboard = find_dashboard(payload)
    for name, adapter in _ADAPTERS.items():
        if name not in builder.fields and (value := _pop_valid(payload, name, adapter)) is not None:
            builder.fields[name] = value
    if dashboard is not None:
        builder.fields.setdefault("canvas", dashboard)
    if problems := _pop_valid(payload, "problems", _PROBLEMS):
        builder.fields.setdefault("problems", []).extend(problems)
    if isinstance(_get_or_drop_null(payload, "unknown"), Mapping):
        builder.add_unknown(payload.pop("unknown"))


def extract_artifacts(payload: dict[str, Any], builder: OutputBuilder) -> None:
    """Move ``artifacts`` and ``deferred_artifacts`` to the builder. Treat a single object as a list with one item."""
    artifacts = _pop_list(payload, "artifacts")
    if artifacts is not None:
        builder.fields.setdefault("artifacts", [])
        for number, item in enumerate(artifacts, start=1):
            _add_artifact(item, f"artifact {number}", builder)
    deferred = _pop_list(payload, "deferred_artifacts")
    if deferred is not None:
        builder.fields.setdefault("deferred_artifacts", [])
        for number, item in enumerate(deferred, start=1):
            builder.add_deferred(item, f"deferred artifact {number}")


def extract_v1_files(payload: dict[str, Any], builder: OutputBuilder) -> None:
    """Convert ``returned_file_names`` and ``returned_file_contents`` of contract v1 to artifacts.

    Ignore both arrays if the tool also returned ``artifacts`` with the same files (clause v2:files:artifacts-win).
    """
    names = [name for name in _pop_v1_array(payload, _V1_NAMES) if isinstance(name, str)]
    contents = _pop_v1_array(payload, _V1_CONTENTS)
    if "artifacts" in builder.fields:
        return
    used_names = set()
    for number, content in enumerate(contents, start=1):
        fields = _to_artifact(content, names[number - 1] if number <= len(names) else f"file-{number}")
        used_names.add(fields["name"])
        builder.add_artifact(fields, str(fields["name"]))
    for name in names[len(contents) :]:
        if name not in used_names:
            builder.add_problem(name, f"no content: {_V1_CONTENTS} is shorter than {_V1_NAMES}")


def find_dashboard(payload: Mapping[str, Any]) -> Canvas | None:
    """Return the dashboard in ``display`` (type ``iframe`` and a URL), where older tools put it, or None if missing."""
    display = payload.get("display")
    if not isinstance(display, Mapping) or display.get("type") != "iframe" or not isinstance(display.get("url"), str):
        return None
    canvas: Canvas = _ADAPTERS["canvas"].validate_python(
        {"id": f"dashboard-{sha256(display['url'].encode()).hexdigest()[:12]}", **display}
        | {"open": display.get("open_canvas")}
    )
    return canvas


def _get_or_drop_null(payload: dict[str, Any], name: str) -> Any:  # noqa: ANN401  (any JSON value)
    if payload.get(name, ABSENT) is None:
        del payload[name]
    return payload.get(name)


def _pop_valid(payload: dict[str, Any], name: str, adapter: TypeAdapter[Any]) -> Any:  # noqa: ANN401  (the adapter's type)
    """Remove a field from the payload and return its validated value. If the value is invalid, keep the field."""
    value = _get_or_drop_null(payload, name)
    if value is None:
        return None
    try:
        validated = adapter.validate_python(value)
    except ValidationError:
        return None
    del payload[name]
    return validated


def _pop_list(payload: dict[str, Any], name: str) -> list[Any] | None:
    value = payload.get(name)
    if not isinstance(value, list | tuple | Mapping | None):
        return None
    payload.pop(name, None)
    if value is None:
        return None
    return [value] if isinstance(value, Mapping) else list(value)


def _add_artifact(item: object, label: str, builder: OutputBuilder) -> None:
    fields = as_mapping(item)
    if fields is not None and typed_artifacts.is_typed(fields):
        typed_artifacts.add_typed(fields, builder)
    else:
        builder.add_artifact(item if fields is None else fields, label)


def _pop_v1_array(payload: dict[str, Any], key: str) -> list[Any]:
    value = payload.pop(key, None)
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _to_artifact(content: object, name: str) -> dict[str, Any]:
    """Return the artifact fields for one file of contract v1, whose content is base64 text or an object.

    A name in the object overrides ``name``, which comes from the tool's list of names (clause v1:files:own-name).
    """
    fields = dict(content) if isinstance(content, Mapping) else {"b64": content}
    fields["name"] = fields.get("name") or name
    return fields
