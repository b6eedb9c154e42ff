"""The tool output and its parts, as every later step of Satchel sees them (spec 2, spec 3 §1, §6 to §8)."""

from satchel.contract.models.artifacts import Artifact, ArtifactProblem, DeferredArtifact
from satchel.contract.models.display import Canvas, Display
from satchel.contract.models.output import ToolOutput

__all__ = ["Artifact", "ArtifactProblem", "Canvas", "DeferredArtifact", "Display", "ToolOutput"]
