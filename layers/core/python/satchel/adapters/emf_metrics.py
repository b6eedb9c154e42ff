"""Metrics as lines of the log, from which CloudWatch makes them (EMF), and nowhere."""

import threading
from collections import defaultdict

from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

from satchel.domain.metrics import NAMESPACE, Metric

_Where = tuple[tuple[str, str], ...]
_NO_SERVICE = ""  # powertools would make a dimension of it


class EmfMetrics:
    """Implements ``ports.metrics.Metrics``; keeps what is noted until ``flush``, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._noted: defaultdict[_Where, list[tuple[Metric, float]]] = defaultdict(list)

    def add(self, metric: Metric, value: float = 1, *dimensions: str) -> None:
        """Note a value."""
        where = tuple(zip(metric.dimensions, dimensions, strict=True))
        with self._lock:
            self._noted[where].append((metric, value))

    def flush(self) -> None:
        """Print what was noted: a line for each combination of dimensions."""
        with self._lock:
            noted, self._noted = self._noted, defaultdict(list)
        for where, measured in noted.items():
            _print(where, measured)


class SilentMetrics:
    """Implements ``ports.metrics.Metrics`` where nobody reads figures."""

    def add(self, metric: Metric, value: float = 1, *dimensions: str) -> None:
        """Forget a value."""

    def flush(self) -> None:
        """Print nothing."""


def _print(where: _Where, measured: list[tuple[Metric, float]]) -> None:
    line = AmazonCloudWatchEMFProvider(namespace=NAMESPACE, service=_NO_SERVICE, dimension_set=dict(where))
    for metric, value in measured:
        line.add_metric(metric.name, metric.unit.value, value)
    line.flush_metrics()
