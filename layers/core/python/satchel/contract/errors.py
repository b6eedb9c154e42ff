"""What can go wrong with a tool call, and with what it returned.

Exception
├── ContractError           raised by ``normalize`` alone: not even a result could be made of it
└── ToolError               a call failed; ``as_output()`` is what the model and the user are told (spec 3 §12)
    ├── ToolTimedOut        E_TIMEOUT            silent too long, or longer than any call may last
    ├── InvalidPath         E_INVALID_PATH       a file operation outside ``/tmp/{username}/``
    ├── FileTooLarge        E_FILE_TOO_LARGE     more than can be processed
    ├── InvalidArtifact     E_INVALID_ARTIFACT   one artifact is no file
    ├── ToolFailed          E_TOOL_FAILED        the tool itself reported an error
    ├── Busy                E_TOOL_FAILED        there was no room to run it
    ├── ToolCrashed         E_TOOL_CRASHED       its process ended before it answered
    ├── Forbidden           E_FORBIDDEN          not for this user's groups
    ├── NotApproved         E_FORBIDDEN          the person said no, or nothing in time
    ├── UnknownTool         E_UNKNOWN_TOOL       no such tool
    ├── InvalidArguments    E_INVALID_ARGUMENTS  they do not fit the tool's schema
    └── FileNotFound        E_FILE_NOT_FOUND     the user has no file of that name
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

from satchel.contract.codes import ErrorCode
from satchel.contract.models import ToolOutput

__all__ = [
    "Busy",
    "ContractError",
    "ErrorCode",
    "FileNotFound",
    "FileTooLarge",
    "Forbidden",
    "InvalidArguments",
    "InvalidArtifact",
    "InvalidPath",
    "NotApproved",
    "ToolCrashed",
    "ToolError",
    "ToolFailed",
    "ToolTimedOut",
    "UnknownTool",
]


class ContractError(Exception):
    """What a tool returned holds itself or is nested beyond bounds; no tool output can be made of it."""


class ToolError(Exception):
    """Base of the errors of a call. ``details`` are facts (JSON), with a ``suggestion`` where there is one to make."""

    code: ClassVar[ErrorCode]
    reason: ClassVar[str]
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def as_output(self) -> ToolOutput:
        """Return the envelope of spec 3 §12."""
        meta_data = {
            "is_error": True,
            "reason": self.reason,
            "error_code": self.code.value,
            "details": self.details,
            "retryable": self.retryable,
        }
        return ToolOutput(results={"error": self.message}, meta_data=meta_data)


class ToolTimedOut(ToolError):
    """The clock ended the call. ``kind`` says which limit: of silence, or the absolute cap."""

    code = ErrorCode.E_TIMEOUT
    reason = "ExecutionTimeout"
    retryable = True

    def __init__(
        self, timeout_seconds: float, last_progress: str | None = None, kind: Literal["silence", "cap"] = "silence"
    ) -> None:
        seconds = int(timeout_seconds) if float(timeout_seconds).is_integer() else timeout_seconds
        if kind == "silence":
            message = f"Tool execution timed out after {seconds} seconds"
            advice = "Consider breaking large operations into smaller chunks or using progress reporting"
            super().__init__(message, timeout_seconds=seconds, last_progress=last_progress, suggestion=advice)
            return
        message = f"Tool execution was stopped after {seconds} seconds, the longest that any call may last"
        advice = "Consider breaking large operations into several calls"
        super().__init__(
            message, timeout_seconds=seconds, last_progress=last_progress, suggestion=advice, limit="absolute"
        )


class InvalidPath(ToolError):
    """A tool tried to reach a file outside the one directory that is its own."""

    code = ErrorCode.E_INVALID_PATH
    reason = "SecurityViolation"

    def __init__(self, attempted_path: str, allowed_prefix: str) -> None:
        super().__init__(
            "File operation outside allowed directory",
            attempted_path=attempted_path,
            allowed_prefix=allowed_prefix,
            suggestion="Use /tmp/{username}/ prefix for file operations",
        )


class FileTooLarge(ToolError):
    """A file is larger than what is left to process it with. Sizes in bytes."""

    code = ErrorCode.E_FILE_TOO_LARGE
    reason = "FileSizeExceeded"

    def __init__(
        self,
        file_size_bytes: int,
        current_limit_bytes: int,
        message: str = "Generated file exceeds processing limits",
        suggestion: str = "Consider generating summary or using chunked processing",
    ) -> None:
        super().__init__(
            message, file_size_bytes=file_size_bytes, current_limit_bytes=current_limit_bytes, suggestion=suggestion
        )


class InvalidArtifact(ToolError):
    """One artifact cannot be kept; in a result it stands as an ArtifactProblem beside the good ones."""

    code = ErrorCode.E_INVALID_ARTIFACT
    reason = "InvalidArtifact"

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(
            f"The artifact {name!r} cannot be kept: {problem}",
            name=name,
            problem=problem,
            suggestion="Return name, mime and one of path, b64 or content for every artifact",
        )


class ToolFailed(ToolError):
    """The tool ran and said that it failed; the message is its own."""

    code = ErrorCode.E_TOOL_FAILED
    reason = "ToolFailed"


class Busy(ToolError):
    """The tool did not run: everything that could run it was busy for too long."""

    code = ErrorCode.E_TOOL_FAILED
    reason = "Busy"
    retryable = True

    def __init__(self, message: str) -> None:
        super().__init__(message, suggestion="Try again in a while")


class ToolCrashed(ToolError):
    """The server's process ended in the middle of a call (out of memory, a signal, ``exit``)."""

    code = ErrorCode.E_TOOL_CRASHED
    reason = "ToolCrashed"
    retryable = True

    def __init__(self, message: str = "The tool's process ended before it answered", **details: object) -> None:
        advice = {"suggestion": "Try again; if it happens again, try with less data"}
        super().__init__(message, **(advice | details))


class Forbidden(ToolError):
    """The tool is not open to the groups of this user."""

    code = ErrorCode.E_FORBIDDEN
    reason = "Forbidden"

    def __init__(self, tool: str) -> None:
        advice = "Ask an administrator for access or use another tool"
        super().__init__(f"You may not use the tool {tool!r}", tool=tool, suggestion=advice)


class NotApproved(ToolError):
    """The call needed the person's word and did not get it."""

    code = ErrorCode.E_FORBIDDEN
    reason = "NotApproved"

    def __init__(self, message: str) -> None:
        super().__init__(message, suggestion="Do not call the tool again unless the person asks for it")


class UnknownTool(ToolError):
    """No server offers a tool of that name. ``nearest`` are names that come close."""

    code = ErrorCode.E_UNKNOWN_TOOL
    reason = "UnknownTool"

    def __init__(self, tool: str, nearest: Sequence[str] = ()) -> None:
        advice = f"Did you mean {_listed(nearest)}?" if nearest else "Use one of the tools that are offered"
        super().__init__(f"There is no tool {tool!r}", tool=tool, nearest=list(nearest), suggestion=advice)


class InvalidArguments(ToolError):
    """The arguments do not fit the tool's schema; each problem is one sentence."""

    code = ErrorCode.E_INVALID_ARGUMENTS
    reason = "InvalidArguments"

    def __init__(self, problems: Sequence[str]) -> None:
        message = "The arguments do not fit the tool: " + "; ".join(problems)
        super().__init__(message, problems=list(problems), suggestion="Correct the arguments and call the tool again")


class FileNotFound(ToolError):
    """The user has no file of that name. ``nearest`` are names of files that there are."""

    code = ErrorCode.E_FILE_NOT_FOUND
    reason = "FileNotFound"

    def __init__(self, names: Sequence[str], nearest: Sequence[str] = ()) -> None:
        advice = f"Did you mean {_listed(nearest)}?" if nearest else "Use a name from the list of available files"
        message = f"No file named {_listed(names)}"
        super().__init__(message, names=list(names), nearest=list(nearest), suggestion=advice)


def _listed(names: Sequence[str]) -> str:
    return " or ".join(repr(name) for name in names)
