"""The outcome of a call that ended in one of our errors (spec 3 §12), and events that carry plain JSON."""

import math

from satchel.contract import ErrorCode, ToolTimedOut
from satchel.domain.calls import RunnerReport
from satchel.domain.events import NewEvent


def test_an_error_becomes_the_envelope_of_the_specification() -> None:
    outcome = RunnerReport.from_error(ToolTimedOut(30, "Processing chunk 45/200"), duration_ms=30_001)
    assert outcome == RunnerReport(
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


def test_an_event_carries_only_what_every_reader_of_json_can_read() -> None:
    event = NewEvent(type="tool_progress", payload={"progress": math.nan, "total": math.inf, "message": "\ud800"})
    assert event.payload == {"progress": None, "total": None, "message": "\N{REPLACEMENT CHARACTER}"}


def test_an_event_does_not_change_with_what_it_was_made_of() -> None:
    arguments = {"filename": "a.csv"}
    event = NewEvent(type="tool_start", payload={"arguments": arguments})
    arguments["filename"] = "b.csv"
    assert event.payload == {"arguments": {"filename": "a.csv"}}
