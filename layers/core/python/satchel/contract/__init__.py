"""What tools return, in one form. Imports nothing but pydantic, pybase64 and the standard library.

Called by everything else in ``satchel``; knows neither files on a disk, nor AWS, nor how an answer travelled. Start
with ``normalize`` (what comes in), ``models`` (what comes out) and ``errors`` (what can go wrong).
"""

from satchel.contract.errors import (
    ContractError,
    ErrorCode,
    FileNotFound,
    FileTooLarge,
    Forbidden,
    InvalidArguments,
    InvalidArtifact,
    InvalidPath,
    ToolCrashed,
    ToolError,
    ToolFailed,
    ToolTimedOut,
    UnknownTool,
)
from satchel.contract.for_model import small_facts, strip_blobs, view_for_model
from satchel.contract.media import is_active, is_showable, mime_of, valid_mime, viewer_for
from satchel.contract.models import Artifact, ArtifactProblem, Canvas, DeferredArtifact, Display, ToolOutput
from satchel.contract.names import numbered, safe_name, split_extension
from satchel.contract.normalize import normalize

__all__ = [
    "Artifact",
    "ArtifactProblem",
    "Canvas",
    "ContractError",
    "DeferredArtifact",
    "Display",
    "ErrorCode",
    "FileNotFound",
    "FileTooLarge",
    "Forbidden",
    "InvalidArguments",
    "InvalidArtifact",
    "InvalidPath",
    "ToolCrashed",
    "ToolError",
    "ToolFailed",
    "ToolOutput",
    "ToolTimedOut",
    "UnknownTool",
    "is_active",
    "is_showable",
    "mime_of",
    "normalize",
    "numbered",
    "safe_name",
    "small_facts",
    "split_extension",
    "strip_blobs",
    "valid_mime",
    "view_for_model",
    "viewer_for",
]
