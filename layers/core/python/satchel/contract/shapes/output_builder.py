"""Collect the parts of a tool output that the functions in ``shapes`` find, and build the ``ToolOutput``."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from satchel.contract.errors import ErrorCode, ToolFailed
from satchel.contract.jsonable import NotJsonError, parse_json, to_json_text
from satchel.contract.shapes.mcp_result import ABSENT, Block, as_mapping
from satchel.contract.tool_output import (
    Artifact,
    ArtifactProblem,
    DeferredArtifact,
    ToolOutput,
    describe_validation_error,
)

DEFAULT_ERROR_MESSAGE = "The tool reported an error"

_MESSAGE_KEYS = ("error", "message", "error_message", "detail")
_File = TypeVar("_File", Artifact, DeferredArtifact)


class OutputBuilder:
    """Collects the parts of a tool output. ``build`` sets only the fields that were added."""

    def __init__(self) -> None:
        self.results: object = ABSENT
        self.fields: dict[str, Any] = {}
        self.unknown: dict[str, Any] = {}

    @property
    def artifacts(self) -> list[Artifact]:
        """Return the list of artifacts. Reading this property also adds the field ``artifacts`` to the output."""
        artifacts: list[Artifact] = self.fields.setdefault("artifacts", [])
        return artifacts

    def add_artifact(self, item: object, label: str) -> None:
        """Add an artifact, or add a problem if the artifact is invalid.

        The problem contains the artifact's name, or ``label`` if the artifact has no name.
        """
        self._add_file(Artifact, item, self.artifacts, label)

    def add_deferred(self, item: object, label: str) -> None:
        """Add a deferred artifact, or add a problem if the artifact is invalid.

        The problem contains the artifact's name, or ``label`` if the artifact has no name.
        """
        self._add_file(DeferredArtifact, item, self.fields.setdefault("deferred_artifacts", []), label)

    def add_problem(self, name: str, reason: str) -> None:
        """Add a problem: the artifact ``name`` cannot be stored, because of ``reason``."""
        problem = ArtifactProblem(name=name, code=ErrorCode.E_INVALID_ARTIFACT, reason=reason)
        self.fields.setdefault("problems", []).append(problem)

    def add_meta_data(self, meta_data: Mapping[str, Any]) -> None:
        """Add keys to the output's ``meta_data``. A key that is already there keeps its value."""
        self.fields["meta_data"] = dict(meta_data) | self.fields.get("meta_data", {})

    def add_unknown(self, leftovers: Mapping[str, Any]) -> None:
        """Add data outside the contract to the output's field ``unknown``, which neither users nor models see."""
        for key, value in leftovers.items():
            self.unknown.setdefault(str(key), value)

    def mark_failed(self, texts: Sequence[Block]) -> None:
        """Mark the output as failed (clause v1:error:is-error), but keep the tool's own message, codes and results."""
        results = self.results
        details: dict[str, Any] = {}
        if not (isinstance(results, Mapping) and "error" in results):
            message = _error_message(results, texts)
            if results is not ABSENT and results is not None and results != message:
                details["results"] = results
            self.results = {"error": message}
        failure = ToolOutput.from_error(ToolFailed(DEFAULT_ERROR_MESSAGE, **details))
        if "retryable" in self.fields:
            self.add_meta_data({"retryable": self.fields["retryable"]})
        self.add_meta_data(failure.meta_data)
        self.fields["meta_data"]["is_error"] = True

    def build(self) -> ToolOutput:
        """Return the tool output. Raise ValidationError if a value cannot be converted to JSON."""
        fields = self.fields | ({"unknown": self.unknown} if self.unknown else {})
        return ToolOutput.model_validate({"results": None if self.results is ABSENT else self.results, **fields})

    def _add_file(self, model: type[_File], item: object, files: list[_File], label: str) -> None:
        fields = as_mapping(item)
        if fields is None:
            self.add_problem(label, "not an object")
            return
        try:
            files.append(model.model_validate({key: fields[key] for key in fields if key != "mime" or fields[key]}))
        except ValidationError as error:
            self.add_problem(_find_name(fields) or label, describe_validation_error(error))


def _find_name(fields: Mapping[str, Any]) -> str | None:
    names = (fields.get(key) for key in ("name", "title", "id", "path"))
    return next((name for name in names if isinstance(name, str) and name), None)


def _error_message(results: object, texts: Sequence[Block]) -> str:
    if isinstance(results, str):
        return results or DEFAULT_ERROR_MESSAGE
    if isinstance(results, Mapping):
        messages = (results.get(key) for key in _MESSAGE_KEYS)
        if message := next((text for text in messages if isinstance(text, str) and text), None):
            return message
    prose = "\n\n".join(block["text"] for block in texts if not _is_json(block["text"]))
    return prose or (DEFAULT_ERROR_MESSAGE if results is ABSENT or results is None else to_json_text(results))


def _is_json(text: str) -> bool:
    try:
        parse_json(text)
    except NotJsonError:
        return False
    return True
