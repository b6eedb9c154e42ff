"""docs/observability.md lists all metrics with their dimensions."""

from pathlib import Path

from satchel.domain import metrics
from satchel.domain.metrics import METRICS, Metric

DOCUMENT = Path(__file__).parents[3] / "docs" / "observability.md"


def row(metric: Metric) -> str:
    dimensions = ", ".join(f"`{name}`" for name in metric.dimensions) or "none"
    return f"| `{metric.name}` | {metric.unit} | {dimensions} | {metric.description} |"


def test_document_lists_exactly_the_metrics_of_the_code() -> None:
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("| `")] == [row(metric) for metric in METRICS]


def test_every_metric_is_listed_and_has_a_unique_name() -> None:
    defined = [value for value in vars(metrics).values() if isinstance(value, Metric)]
    assert defined == list(METRICS)
    assert len({metric.name for metric in METRICS}) == len(METRICS)


def test_no_metric_has_more_than_two_dimensions() -> None:
    assert {name for metric in METRICS for name in metric.dimensions} == {"Status", "Server", "Outcome", "Model"}
    assert max(len(metric.dimensions) for metric in METRICS) == 2
