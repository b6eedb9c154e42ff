"""Errors of tools, in the form of spec 3 §12."""

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
    ToolCrashed,
    ToolError,
    ToolFailed,
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
OUTSIDE = {
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
ONE_OF_EACH: list[ToolError] = [
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
]


@pytest.mark.clause("v2.1:errors:timeout", "v2.1:errors:invalid-path", "v2.1:errors:file-too-large")
@pytest.mark.parametrize(
    ("error", "example"),
    [(ONE_OF_EACH[0], TIMED_OUT), (ONE_OF_EACH[1], OUTSIDE), (ONE_OF_EACH[2], TOO_LARGE)],
    ids=lambda value: value.code if isinstance(value, ToolError) else "example",
)
def test_the_specified_errors_look_exactly_as_specified(error: ToolError, example: dict[str, Any]) -> None:
    assert error.as_output().envelope() == example


def test_there_is_one_error_for_every_code() -> None:
    assert [error.code for error in ONE_OF_EACH] == list(ErrorCode)
    assert len({error.reason for error in ONE_OF_EACH}) == len(ErrorCode)


@pytest.mark.parametrize("error", ONE_OF_EACH, ids=lambda error: error.code)
def test_every_error_has_the_same_form_and_survives_normalising(error: ToolError) -> None:
    output = error.as_output()
    assert list(output.meta_data) == ["is_error", "reason", "error_code", "details", "retryable"]
    assert (output.is_error, output.error_code, str(error)) == (True, error.code, output.results["error"])
    assert normalize(output.envelope()) == output


def test_seconds_are_whole_where_they_can_be() -> None:
    assert ToolTimedOut(30.0).message == "Tool execution timed out after 30 seconds"
    assert ToolTimedOut(0.5).message == "Tool execution timed out after 0.5 seconds"


def test_a_time_out_says_which_limit_ended_the_call() -> None:
    silent, capped = ToolTimedOut(30), ToolTimedOut(840, kind="cap")
    assert "limit" not in silent.details
    assert (capped.details["limit"], capped.details["timeout_seconds"]) == ("absolute", 840)
    assert silent.message != ToolTimedOut(30, kind="cap").message


def test_suggestions_name_what_was_probably_meant() -> None:
    assert UnknownTool("reprot.make", ["report.make"]).details["suggestion"] == "Did you mean 'report.make'?"
    assert FileNotFound(["a.cvs"], ["a.csv", "b.csv"]).details["suggestion"] == "Did you mean 'a.csv' or 'b.csv'?"
