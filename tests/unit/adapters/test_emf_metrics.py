"""The log lines from which CloudWatch reads metrics."""

import json
from typing import Any

import pytest

from satchel.adapters.emf_metrics import EmfMetrics, SilentMetrics
from satchel.domain.metrics import METRICS, TOKENS_IN, TOKENS_OUT, TURNS, UPLOADED_BYTES, Metric


def flush(metrics: EmfMetrics, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    metrics.flush()
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_values_with_the_same_dimensions_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = EmfMetrics()
    metrics.add(TOKENS_IN, 12, "quick")
    metrics.add(TOKENS_IN, 7, "quick")
    metrics.add(TOKENS_OUT, 100, "quick")
    (line,) = flush(metrics, capsys)
    assert isinstance(line["_aws"].pop("Timestamp"), int)
    assert line == {
        "_aws": {
            "CloudWatchMetrics": [
                {
                    "Namespace": "Satchel",
                    "Dimensions": [["Model"]],
                    "Metrics": [
                        {"Name": "TokensIn", "Unit": "Count"},
                        {"Name": "TokensOut", "Unit": "Count"},
                    ],
                }
            ]
        },
        "Model": "quick",
        "TokensIn": [12, 7],
        "TokensOut": [100],
    }


def test_each_combination_of_dimensions_has_its_own_line(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = EmfMetrics()
    metrics.add(TURNS, 1, "complete")
    metrics.add(TURNS, 1, "failed")
    metrics.add(UPLOADED_BYTES, 5)
    lines = flush(metrics, capsys)
    assert [(line.get("Status"), line.get("Turns")) for line in lines] == [
        ("complete", [1]),
        ("failed", [1]),
        (None, None),
    ]
    assert [line["_aws"]["CloudWatchMetrics"][0]["Dimensions"] for line in lines] == [[["Status"]], [["Status"]], [[]]]


def test_flush_prints_each_value_once(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = EmfMetrics()
    metrics.add(TURNS, 1, "complete")
    assert len(flush(metrics, capsys)) == 1
    assert flush(metrics, capsys) == []


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_metric_has_the_format_of_cloudwatch(metric: Metric, capsys: pytest.CaptureFixture[str]) -> None:
    metrics = EmfMetrics()
    metrics.add(metric, 1, *(["x"] * len(metric.dimensions)))
    (line,) = flush(metrics, capsys)
    assert line["_aws"]["CloudWatchMetrics"] == [
        {
            "Namespace": "Satchel",
            "Dimensions": [list(metric.dimensions)],
            "Metrics": [{"Name": metric.name, "Unit": metric.unit}],
        }
    ]


@pytest.mark.parametrize("dimensions", [(), ("complete", "report")])
def test_wrong_number_of_dimensions_is_rejected(dimensions: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="zip"):
        EmfMetrics().add(TURNS, 1, *dimensions)


def test_silent_metrics_print_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = SilentMetrics()
    metrics.add(TURNS, 1, "complete")
    metrics.flush()
    assert capsys.readouterr().out == ""
