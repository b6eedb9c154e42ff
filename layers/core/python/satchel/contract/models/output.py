"""What every tool call comes to (spec 3 §1)."""

from typing import Any

from pydantic import BaseModel

from satchel.contract.codes import ErrorCode
from satchel.contract.jsonable import Json, JsonObject
from satchel.contract.models.artifacts import Artifact, ArtifactProblem, DeferredArtifact
from satchel.contract.models.display import Canvas, Display


class ToolOutput(BaseModel):
    """The normalised output. What a tool did not give is not in ``model_fields_set``; falsy values are values.

    ``problems`` are the artifacts that could not be kept; ``unknown`` holds what no specification names: it is kept,
    but shown to nobody.
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

    @property
    def is_error(self) -> bool:
        """Tell whether the call failed."""
        return self.meta_data.get("is_error") is True

    @property
    def error_code(self) -> ErrorCode | None:
        """Return the code of a failed call, where it is one of ours."""
        code = str(self.meta_data.get("error_code"))
        return ErrorCode[code] if self.is_error and code in ErrorCode.__members__ else None

    def envelope(self) -> dict[str, Any]:
        """Return the JSON object of the specification: only what was given, in the form of spec 3."""
        return self.model_dump(mode="json", exclude_unset=True)
