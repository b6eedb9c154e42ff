"""docs/observability.md names the metrics that there are, and each is written somewhere."""

from pathlib import Path

import satchel
from satchel.domain import metrics
from satchel.domain.metrics import METRICS, Metric

DOCUMENT = Path(__file__).parents[2] / "docs" / "observability.md"
SOURCES = Path(satchel.__file__).parent


def row(metric: Metric) -> str:
    where = ", ".join(f"`{name}`" for name in metric.dimensions) or "none"
    return f"| `{metric.name}` | {metric.unit} | {where} | {metric.means} |"


def test_the_table_is_that_of_the_code() -> None:
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("| `")] == [row(metric) for metric in METRICS]


def test_every_metric_is_listed_and_has_a_name_of_its_own() -> None:
    defined = [value for value in vars(metrics).values() if isinstance(value, Metric)]
    assert defined == list(METRICS)
    assert len({metric.name for metric in METRICS}) == len(METRICS)


def test_every_metric_has_two_dimensions_at_most() -> None:
    assert {name for metric in METRICS for name in metric.dimensions} == {
        "Status",
        "Server",
        "Outcome",
        "Model",
        "Function",
    }
    assert max(len(metric.dimensions) for metric in METRICS) == 2
