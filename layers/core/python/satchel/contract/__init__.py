"""The tool output contract: converts everything that tools return to one form, ``ToolOutput``.

It imports only pydantic, pybase64 and the standard library, so every other package of ``satchel`` may import it. Read
``normalize`` (the conversion), ``tool_output`` (the converted form) and ``errors`` first.
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
    StorageExhausted,
    ToolCrashed,
    ToolError,
    ToolFailed,
    ToolTimedOut,
    UnknownTool,
)
from satchel.contract.file_names import numbered_name, safe_name, split_extension
from satchel.contract.media_types import APP_MIME, is_active, is_app, is_showable, mime_of, normalize_mime, viewer_for
from satchel.contract.model_view import (
    build_model_view,
    limit_meta_data,
    omission_start,
    scrub_output,
    strip_base64,
    strip_blobs,
)
from satchel.contract.normalize import normalize
from satchel.contract.tokens import has_file_link, scrub, scrub_text
from satchel.contract.tool_output import Artifact, ArtifactProblem, Canvas, DeferredArtifact, Display, ToolOutput

__all__ = [
    "APP_MIME",
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
    "StorageExhausted",
    "ToolCrashed",
    "ToolError",
    "ToolFailed",
    "ToolOutput",
    "ToolTimedOut",
    "UnknownTool",
    "build_model_view",
    "has_file_link",
    "is_active",
    "is_app",
    "is_showable",
    "limit_meta_data",
    "mime_of",
    "normalize",
    "normalize_mime",
    "numbered_name",
    "omission_start",
    "safe_name",
    "scrub",
    "scrub_output",
    "scrub_text",
    "split_extension",
    "strip_base64",
    "strip_blobs",
    "viewer_for",
]
