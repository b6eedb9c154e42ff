"""Figures as CloudWatch reads them out of the log."""

import json
from typing import Any

import pytest

from satchel.adapters.emf_metrics import EmfMetrics, SilentMetrics
from satchel.domain.metrics import METRICS, TOOL_BYTES_IN, TOOL_CALL_DURATION, TURNS, UPLOADED_BYTES, Metric


def flushed(metrics: EmfMetrics, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    metrics.flush()
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_what_has_the_same_dimensions_is_one_line_with_a_list_of_values(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = EmfMetrics()
    metrics.add(TOOL_CALL_DURATION, 12.5, "report")
    metrics.add(TOOL_CALL_DURATION, 7, "report")
    metrics.add(TOOL_BYTES_IN, 100, "report")
    (line,) = flushed(metrics, capsys)
    assert isinstance(line["_aws"].pop("Timestamp"), int)
    assert line == {
        "_aws": {
            "CloudWatchMetrics": [
                {
                    "Namespace": "Satchel",
                    "Dimensions": [["Server"]],
                    "Metrics": [
                        {"Name": "ToolCallDuration", "Unit": "Milliseconds"},
                        {"Name": "ToolBytesIn", "Unit": "Bytes"},
                    ],
                }
            ]
        },
        "Server": "report",
        "ToolCallDuration": [12.5, 7],
        "ToolBytesIn": [100],
    }


def test_other_dimensions_are_a_line_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = EmfMetrics()
    metrics.add(TURNS, 1, "complete")
    metrics.add(TURNS, 1, "failed")
    metrics.add(UPLOADED_BYTES, 5)
    lines = flushed(metrics, capsys)
    assert [(line.get("Status"), line.get("Turns")) for line in lines] == [
        ("complete", [1]),
        ("failed", [1]),
        (None, None),
    ]
    assert [line["_aws"]["CloudWatchMetrics"][0]["Dimensions"] for line in lines] == [[["Status"]], [["Status"]], [[]]]


def test_what_was_flushed_is_not_flushed_again(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = EmfMetrics()
    metrics.add(TURNS, 1, "complete")
    assert len(flushed(metrics, capsys)) == 1
    assert flushed(metrics, capsys) == []


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_cloudwatch_takes_every_metric(metric: Metric, capsys: pytest.CaptureFixture[str]) -> None:
    metrics = EmfMetrics()
    metrics.add(metric, 1, *(["x"] * len(metric.dimensions)))
    (line,) = flushed(metrics, capsys)
    assert line["_aws"]["CloudWatchMetrics"] == [
        {
            "Namespace": "Satchel",
            "Dimensions": [list(metric.dimensions)],
            "Metrics": [{"Name": metric.name, "Unit": metric.unit}],
        }
    ]


@pytest.mark.parametrize("where", [(), ("complete", "report")])
def test_dimensions_that_a_metric_has_not_are_refused(where: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="zip"):
        EmfMetrics().add(TURNS, 1, *where)


def test_silent_ones_print_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = SilentMetrics()
    metrics.add(TURNS, 1, "complete")
    metrics.flush()
    assert capsys.readouterr().out == ""
