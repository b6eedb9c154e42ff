"""Storing and reading a runner report."""

import io

import pytest

from satchel.contract import Display, ErrorCode, ToolTimedOut
from satchel.domain.calls import RunnerReport
from satchel.services.calls.runner_report import MAX_REPORT_BYTES, read_report, store_report
from tests.fakes.storage import FakeFileStore


@pytest.mark.parametrize(
    "report",
    [
        RunnerReport(),
        RunnerReport(results={"ü": [1, None, 0.5]}, display=Display(open_canvas=True, primary_file="a")),
        RunnerReport.from_error(ToolTimedOut(30), 5),
    ],
)
def test_report_is_read_as_stored(report: RunnerReport) -> None:
    store = FakeFileStore()
    store_report(store, "k", report)
    assert read_report(store, "k") == report
    assert store.objects["k"].mime == "application/json"
    assert store.objects["k"].tags == {"retention": "unkept"}  # deleted if the turn does not read it


def test_missing_report_is_none() -> None:
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
def test_malformed_report_raises_value_error(text: bytes) -> None:
    store = FakeFileStore()
    store.put("k", io.BytesIO(text), "application/json")
    with pytest.raises(ValueError, match="the report is malformed"):
        read_report(store, "k")


def test_too_large_report_raises_value_error() -> None:
    store = FakeFileStore()
    store.put("k", io.BytesIO(b" " * (MAX_REPORT_BYTES + 1)), "application/json")
    with pytest.raises(ValueError, match="bytes"):
        read_report(store, "k")


def test_storing_a_report_again_replaces_it() -> None:
    store = FakeFileStore()
    for _ in range(2):
        store_report(store, "k", RunnerReport(error_code=ErrorCode.E_TOOL_FAILED))
    assert list(store.objects) == ["k"]
