"""The runner's report of a failed call."""

from satchel.contract import ErrorCode, ToolTimedOut
from satchel.domain.calls import RunnerReport


def test_report_of_an_error_has_the_specified_fields() -> None:
    report = RunnerReport.from_error(ToolTimedOut(30, "Processing chunk 45/200"), duration_ms=30_001)
    assert report == RunnerReport(
        results={"error": "Tool execution timed out after 30 seconds"},
        meta_data={
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
        is_error=True,
        error_code=ErrorCode.E_TIMEOUT,
        duration_ms=30_001,
    )
