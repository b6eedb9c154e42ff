"""Tool errors and the outputs that are built from them."""

from typing import Any

import pytest

from satchel.contract import (
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
    ToolOutput,
    ToolTimedOut,
    UnknownTool,
    normalize,
)

TIMED_OUT = {
    "results": {"error": "Tool execution timed out after 30 seconds"},
    "meta_data": {
        "is_error": True,
        "reason": "ExecutionTimeout",
        "error_code": "E_TIMEOUT",
        "details": {
            "timeout_seconds": 30,
            "last_progress": "Processing chunk 45/200",
            "suggestion": "Consider breaking large operations into smaller chunks or using progress reporting",
        },
        "retryable": True,
    },
}
INVALID_PATH = {
    "results": {"error": "File operation outside allowed directory"},
    "meta_data": {
        "is_error": True,
        "reason": "SecurityViolation",
        "error_code": "E_INVALID_PATH",
        "details": {
            "attempted_path": "/etc/passwd",
            "allowed_prefix": "/tmp/alice/",
            "suggestion": "Use /tmp/{username}/ prefix for file operations",
        },
        "retryable": False,
    },
}
TOO_LARGE = {
    "results": {"error": "Generated file exceeds processing limits"},
    "meta_data": {
        "is_error": True,
        "reason": "FileSizeExceeded",
        "error_code": "E_FILE_TOO_LARGE",
        "details": {
            "file_size_bytes": 107374182400,
            "current_limit_bytes": 53687091200,
            "suggestion": "Consider generating summary or using chunked processing",
        },
        "retryable": False,
    },
}
ERRORS: list[ToolError] = [
    ToolTimedOut(30, "Processing chunk 45/200"),
    InvalidPath("/etc/passwd", "/tmp/alice/"),
    FileTooLarge(107374182400, 53687091200),
    InvalidArtifact("a.txt", "no mime"),
    ToolFailed("boom"),
    ToolCrashed(exit_code=-9),
    Forbidden("report.make"),
    UnknownTool("reprot.make", ["report.make"]),
    InvalidArguments(["'rows' is missing"]),
    FileNotFound(["sales.cvs"], ["sales.csv"]),
    StorageExhausted(20, 90, 100),
]


@pytest.mark.clause("v2.1:errors:timeout", "v2.1:errors:invalid-path", "v2.1:errors:file-too-large")
@pytest.mark.parametrize(
    ("error", "example"),
    [(ERRORS[0], TIMED_OUT), (ERRORS[1], INVALID_PATH), (ERRORS[2], TOO_LARGE)],
    ids=lambda value: value.code if isinstance(value, ToolError) else "example",
)
def test_specified_errors_have_the_specified_envelope(error: ToolError, example: dict[str, Any]) -> None:
    assert ToolOutput.from_error(error).envelope() == example


def test_every_error_code_has_an_error_class() -> None:
    assert [error.code for error in ERRORS] == list(ErrorCode)
    assert len({error.reason for error in ERRORS}) == len(ErrorCode)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.code)
def test_every_error_output_has_the_same_keys_and_normalizes_to_itself(error: ToolError) -> None:
    output = ToolOutput.from_error(error)
    known = ["retryable"] if error.retryable is not None else []
    assert list(output.meta_data) == ["is_error", "reason", "error_code", "details", *known]
    assert (output.is_error, output.error_code, str(error)) == (True, error.code, output.results["error"])
    assert normalize(output.envelope()) == output


def test_timeout_message_writes_whole_seconds_without_decimals() -> None:
    assert ToolTimedOut(30.0).message == "Tool execution timed out after 30 seconds"
    assert ToolTimedOut(0.5).message == "Tool execution timed out after 0.5 seconds"


def test_timeout_error_names_the_limit_that_ended_the_call() -> None:
    silent, capped = ToolTimedOut(30), ToolTimedOut(840, kind="cap")
    assert "limit" not in silent.details
    assert (capped.details["limit"], capped.details["timeout_seconds"]) == ("absolute", 840)
    assert silent.message != ToolTimedOut(30, kind="cap").message


def test_suggestion_lists_the_nearest_names() -> None:
    assert UnknownTool("reprot.make", ["report.make"]).details["suggestion"] == "Did you mean 'report.make'?"
    assert FileNotFound(["a.cvs"], ["a.csv", "b.csv"]).details["suggestion"] == "Did you mean 'a.csv' or 'b.csv'?"
