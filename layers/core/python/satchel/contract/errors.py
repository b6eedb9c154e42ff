"""Exceptions for failed tool calls and invalid results, with the error codes that users and models see.

Exception
├── ContractError           only ``normalize`` raises it: the tool's value cannot be converted to a ToolOutput
└── ToolError               the call failed; ``ToolOutput.from_error`` builds the result for the model and the user
    ├── ToolTimedOut        E_TIMEOUT            no progress for too long, or longer than the maximum duration
    ├── InvalidPath         E_INVALID_PATH       file access outside ``/tmp/{username}/``
    ├── FileTooLarge        E_FILE_TOO_LARGE     a file exceeds the size limit
    ├── InvalidArtifact     E_INVALID_ARTIFACT   one artifact is malformed or cannot be read
    ├── ToolFailed          E_TOOL_FAILED        the tool itself reported an error
    ├── Busy                E_TOOL_FAILED        no capacity to run the tool
    ├── StorageExhausted    E_QUOTA_EXCEEDED     the user's files leave no room for a file of the tool
    ├── ToolCrashed         E_TOOL_CRASHED       the server process ended before it returned a result
    ├── Forbidden           E_FORBIDDEN          the user's groups may not use the tool
    ├── NotApproved         E_FORBIDDEN          the user denied the call or did not answer in time
    ├── NotAnswered         E_TOOL_FAILED        the user did not answer the tool's question in time
    ├── UnknownTool         E_UNKNOWN_TOOL       no tool has this name
    ├── InvalidArguments    E_INVALID_ARGUMENTS  the arguments do not match the tool's schema
    └── FileNotFound        E_FILE_NOT_FOUND     the user has no file with this name

The class attributes ``code``, ``reason`` and ``retryable`` are stored in the ``meta_data`` of the call's result.
``retryable`` says whether the same call may succeed later. It is None, and not stored, if that is unknown.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar, Literal

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
    "NotAnswered",
    "NotApproved",
    "StorageExhausted",
    "ToolCrashed",
    "ToolError",
    "ToolFailed",
    "ToolTimedOut",
    "UnknownTool",
    "advise",
]


class ErrorCode(StrEnum):
    """Machine-readable codes of failed tool calls (``meta_data.error_code`` in the result) and invalid artifacts."""

    E_TIMEOUT = "E_TIMEOUT"
    E_INVALID_PATH = "E_INVALID_PATH"
    E_FILE_TOO_LARGE = "E_FILE_TOO_LARGE"
    E_INVALID_ARTIFACT = "E_INVALID_ARTIFACT"
    E_TOOL_FAILED = "E_TOOL_FAILED"
    E_TOOL_CRASHED = "E_TOOL_CRASHED"
    E_FORBIDDEN = "E_FORBIDDEN"
    E_UNKNOWN_TOOL = "E_UNKNOWN_TOOL"
    E_INVALID_ARGUMENTS = "E_INVALID_ARGUMENTS"
    E_FILE_NOT_FOUND = "E_FILE_NOT_FOUND"
    E_QUOTA_EXCEEDED = "E_QUOTA_EXCEEDED"


class ContractError(Exception):
    """The tool's result cannot be converted: it is not JSON, contains itself or is nested too deeply."""


class ToolError(Exception):
    """Base class of tool call errors. ``details`` are JSON values, often with a ``suggestion`` for the model."""

    code: ClassVar[ErrorCode]
    reason: ClassVar[str]
    retryable: ClassVar[bool | None] = None

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class ToolTimedOut(ToolError):
    """The call made no progress for too long (``kind`` is ``silence``) or exceeded the maximum duration (``cap``)."""

    code = ErrorCode.E_TIMEOUT
    reason = "ExecutionTimeout"
    retryable = True

    def __init__(
        self, timeout_seconds: float, last_progress: str | None = None, kind: Literal["silence", "cap"] = "silence"
    ) -> None:
        seconds = int(timeout_seconds) if float(timeout_seconds).is_integer() else timeout_seconds
        if kind == "silence":
            message = f"Tool execution timed out after {seconds} seconds"
            suggestion = "Consider breaking large operations into smaller chunks or using progress reporting"
            super().__init__(message, timeout_seconds=seconds, last_progress=last_progress, suggestion=suggestion)
            return
        message = f"Tool execution was stopped after {seconds} seconds, the maximum duration of a call"
        suggestion = "Consider splitting large operations into several calls"
        super().__init__(
            message, timeout_seconds=seconds, last_progress=last_progress, suggestion=suggestion, limit="absolute"
        )


class InvalidPath(ToolError):
    """A tool tried to access a file outside the user's directory.

    ``allowed_prefix`` is None for a tool that may not write at all, because it does not declare ``username``.
    ``operation`` is None if it is unknown whether the tool tried to read or to write. The specification prescribes the
    error message and the suggestion for a write with a known ``allowed_prefix``.
    """

    code = ErrorCode.E_INVALID_PATH
    reason = "SecurityViolation"
    retryable = False

    def __init__(
        self, attempted_path: str, allowed_prefix: str | None, operation: Literal["read", "write"] | None = "write"
    ) -> None:
        is_read = operation == "read"
        super().__init__(
            "File read outside allowed directories" if is_read else "File operation outside allowed directory",
            attempted_path=attempted_path,
            allowed_prefix=allowed_prefix,
            suggestion=advise(operation, may_write=allowed_prefix is not None),
        )


def advise(operation: Literal["read", "write"] | None, *, may_write: bool) -> str:
    """Return what to change so that a tool can access a path that the sandbox blocked."""
    write = "Use /tmp/{username}/ prefix for file operations"
    if not may_write:
        write = (
            "To write files, declare an argument `username: str` and use the prefix /tmp/{username}/, or set "
            '`"writes": true` in the server\'s entry in mcp.json and use the path in SATCHEL_WORKSPACE'
        )
    read = "To read this path, add it to `read_paths` of the server's entry in mcp.json"
    return {"read": read, "write": write, None: f"{write}. {read}"}[operation]


class FileTooLarge(ToolError):
    """A file exceeds the size limit."""

    code = ErrorCode.E_FILE_TOO_LARGE
    reason = "FileSizeExceeded"
    retryable = False

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


class StorageExhausted(ToolError):
    """The user's files leave no room for a file of the tool."""

    code = ErrorCode.E_QUOTA_EXCEEDED
    reason = "StorageQuotaExceeded"
    retryable = False

    def __init__(self, file_size_bytes: int, used_bytes: int, quota_bytes: int) -> None:
        super().__init__(
            f"The file was not stored: it has {file_size_bytes} bytes, and the user's files already take {used_bytes} "
            f"of {quota_bytes} bytes. The user must delete files before the tool can be called again.",
            file_size_bytes=file_size_bytes,
            used_bytes=used_bytes,
            quota_bytes=quota_bytes,
        )


class InvalidArtifact(ToolError):
    """One artifact (a file of a tool) cannot be stored. The call's result lists it as an ``ArtifactProblem``."""

    code = ErrorCode.E_INVALID_ARTIFACT
    reason = "InvalidArtifact"

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(
            f"The artifact {name!r} cannot be stored: {problem}",
            name=name,
            problem=problem,
            suggestion="Return name, mime and one of path, b64 or content for every artifact",
        )


class ToolFailed(ToolError):
    """The tool ran and reported an error. ``message`` is the tool's error message."""

    code = ErrorCode.E_TOOL_FAILED
    reason = "ToolFailed"


class Busy(ToolError):
    """The tool did not run, because no capacity became free within the maximum waiting time."""

    code = ErrorCode.E_TOOL_FAILED
    reason = "Busy"
    retryable = True

    def __init__(self, message: str) -> None:
        super().__init__(message, suggestion="Try again later")


class ToolCrashed(ToolError):
    """The tool's server process ended during the call: it ran out of memory, received a signal, or called ``exit``."""

    code = ErrorCode.E_TOOL_CRASHED
    reason = "ToolCrashed"
    retryable = True

    def __init__(
        self, message: str = "The tool's process ended before it returned a result", **details: object
    ) -> None:
        defaults = {"suggestion": "Try again; if it fails again, use less data"}
        super().__init__(message, **(defaults | details))


class Forbidden(ToolError):
    """The user belongs to no group that may use the tool."""

    code = ErrorCode.E_FORBIDDEN
    reason = "Forbidden"
    retryable = False

    def __init__(self, tool: str) -> None:
        suggestion = "Ask an administrator for access or use another tool"
        super().__init__(f"You may not use the tool {tool!r}", tool=tool, suggestion=suggestion)


class NotAnswered(ToolError):
    """The user did not answer the tool's question in time, or the question could not be shown."""

    code = ErrorCode.E_TOOL_FAILED
    reason = "NotAnswered"


class NotApproved(ToolError):
    """The user denied the tool call, or did not answer the request for approval in time."""

    code = ErrorCode.E_FORBIDDEN
    reason = "NotApproved"
    retryable = False

    def __init__(self, message: str) -> None:
        super().__init__(message, suggestion="Do not call the tool again unless the user asks for it")


class UnknownTool(ToolError):
    """No server offers a tool with this name. ``nearest`` are similar names of existing tools."""

    code = ErrorCode.E_UNKNOWN_TOOL
    reason = "UnknownTool"
    retryable = False

    def __init__(self, tool: str, nearest: Sequence[str] = ()) -> None:
        suggestion = f"Did you mean {_join_names(nearest)}?" if nearest else "Use one of the available tools"
        super().__init__(f"There is no tool {tool!r}", tool=tool, nearest=list(nearest), suggestion=suggestion)


class InvalidArguments(ToolError):
    """The arguments do not match the tool's schema. Each item of ``problems`` is one sentence."""

    code = ErrorCode.E_INVALID_ARGUMENTS
    reason = "InvalidArguments"

    def __init__(self, problems: Sequence[str]) -> None:
        message = "The arguments do not match the tool's schema: " + "; ".join(problems)
        super().__init__(message, problems=list(problems), suggestion="Correct the arguments and call the tool again")


class FileNotFound(ToolError):
    """The user has no file with this name. ``nearest`` are similar names of the user's files."""

    code = ErrorCode.E_FILE_NOT_FOUND
    reason = "FileNotFound"

    def __init__(self, names: Sequence[str], nearest: Sequence[str] = ()) -> None:
        suggestion = (
            f"Did you mean {_join_names(nearest)}?" if nearest else "Use a name from the list of available files"
        )
        message = f"No file named {_join_names(names)}"
        super().__init__(message, names=list(names), nearest=list(nearest), suggestion=suggestion)


def _join_names(names: Sequence[str]) -> str:
    return " or ".join(repr(name) for name in names)
