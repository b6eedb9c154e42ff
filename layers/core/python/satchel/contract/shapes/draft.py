"""The tool output while it is being put together."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from satchel.contract.codes import ErrorCode
from satchel.contract.models import Artifact, ArtifactProblem, DeferredArtifact, ToolOutput
from satchel.contract.models.lenient import in_words
from satchel.contract.shapes.answer import ABSENT, as_mapping

_File = TypeVar("_File", Artifact, DeferredArtifact)


class Draft:
    """Collects what the parts find. A field that nobody gave is not in ``given`` and so not set in the output."""

    def __init__(self) -> None:
        self.results: object = ABSENT
        self.given: dict[str, Any] = {}
        self.unknown: dict[str, Any] = {}

    @property
    def artifacts(self) -> list[Artifact]:
        """Return the artifacts so far; asking for them makes the field a given one."""
        found: list[Artifact] = self.given.setdefault("artifacts", [])
        return found

    def add(self, item: object, label: str) -> None:
        """Keep one artifact, or say under its name (else ``label``) why it cannot be kept."""
        self._keep(Artifact, item, self.artifacts, label)

    def defer(self, item: object, label: str) -> None:
        """Keep one deferred artifact, or say why it cannot be kept."""
        self._keep(DeferredArtifact, item, self.given.setdefault("deferred_artifacts", []), label)

    def refuse(self, name: str, reason: str) -> None:
        """Note an artifact that cannot be kept."""
        problem = ArtifactProblem(name=name, code=ErrorCode.E_INVALID_ARTIFACT, reason=reason)
        self.given.setdefault("problems", []).append(problem)

    def add_facts(self, facts: Mapping[str, Any]) -> None:
        """Add to ``meta_data``; what stands there already stays."""
        self.given["meta_data"] = dict(facts) | self.given.get("meta_data", {})

    def set_aside(self, leftovers: Mapping[str, Any]) -> None:
        """Keep what no specification names; nothing of it gets lost, nobody is shown it."""
        for key, value in leftovers.items():
            self.unknown.setdefault(str(key), value)

    def output(self) -> ToolOutput:
        """Make the output. Raises ValidationError if what a tool gave is no JSON at all."""
        fields = self.given | ({"unknown": self.unknown} if self.unknown else {})
        return ToolOutput.model_validate({"results": None if self.results is ABSENT else self.results, **fields})

    def _keep(self, model: type[_File], item: object, kept: list[_File], label: str) -> None:
        fields = as_mapping(item)
        if fields is None:
            self.refuse(label, "not an object")
            return
        try:
            kept.append(model.model_validate(fields))
        except ValidationError as error:
            self.refuse(_name(fields) or label, in_words(error))


def _name(fields: Mapping[str, Any]) -> str | None:
    names = (fields.get(key) for key in ("name", "title", "id", "path"))
    return next((name for name in names if isinstance(name, str) and name), None)
