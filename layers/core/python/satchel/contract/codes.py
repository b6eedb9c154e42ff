"""The codes by which programs tell errors of tools apart (they stand in ``meta_data.error_code``)."""

from enum import StrEnum


class ErrorCode(StrEnum):
    """Why a tool call, or one artifact of it, came to nothing."""

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
