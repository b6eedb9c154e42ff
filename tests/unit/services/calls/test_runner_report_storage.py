"""Keeping and reading an outcome."""

import io

import pytest

from satchel.contract import Display, ErrorCode, ToolTimedOut
from satchel.domain.calls import RunnerReport
from satchel.services.calls.runner_report import MAX_REPORT_BYTES, read_report, store_report
from tests.fakes.storage import FakeFileStore


@pytest.mark.parametrize(
    "outcome",
    [
        RunnerReport(),
        RunnerReport(results={"ü": [1, None, 0.5]}, display=Display(open_canvas=True, primary_file="a")),
        RunnerReport.of_error(ToolTimedOut(30), 5),
    ],
)
def test_an_outcome_is_read_as_it_was_stored(outcome: RunnerReport) -> None:
    store = FakeFileStore()
    store_report(store, "k", outcome)
    assert read_report(store, "k") == outcome
    assert store.objects["k"].mime == "application/json"
    assert store.objects["k"].tags == {"retention": "unkept"}  # it is read within the turn


def test_no_outcome_is_none() -> None:
    assert read_report(FakeFileStore(), "k") is None


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"files": [{"key": "a"}]}',
        b'{"error_code": "E_MADE_UP"}',
        b'{"duration_ms": "long"}',
    ],
)
def test_what_is_no_outcome_is_refused(text: bytes) -> None:
    store = FakeFileStore()
    store.put("k", io.BytesIO(text), "application/json")
    with pytest.raises(ValueError, match="the outcome is malformed"):
        read_report(store, "k")


def test_an_outcome_that_is_too_large_is_not_read() -> None:
    store = FakeFileStore()
    store.put("k", io.BytesIO(b" " * (MAX_REPORT_BYTES + 1)), "application/json")
    with pytest.raises(ValueError, match="bytes"):
        read_report(store, "k")


def test_a_retry_stores_the_same_again() -> None:
    store = FakeFileStore()
    for _ in range(2):
        store_report(store, "k", RunnerReport(error_code=ErrorCode.E_TOOL_FAILED))
    assert list(store.objects) == ["k"]
