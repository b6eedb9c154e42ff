"""Prints metrics as log lines in CloudWatch's embedded metric format (EMF), or discards them in the local run."""

import threading
from collections import defaultdict

from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

from satchel.domain.metrics import NAMESPACE, Metric

_Dimensions = tuple[tuple[str, str], ...]
_NO_SERVICE = ""  # powertools would add any other service name to the dimensions


class EmfMetrics:
    """Collect metric values from all threads until ``flush`` prints them. Implements ``ports.system.Metrics``."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: defaultdict[_Dimensions, list[tuple[Metric, float]]] = defaultdict(list)

    def add(self, metric: Metric, value: float = 1, *dimensions: str) -> None:
        key = tuple(zip(metric.dimensions, dimensions, strict=True))
        with self._lock:
            self._values[key].append((metric, value))

    def flush(self) -> None:
        """Print and clear the collected values, one log line for each combination of dimensions."""
        with self._lock:
            collected, self._values = self._values, defaultdict(list)
        for dimensions, values in collected.items():
            _print_line(dimensions, values)


class SilentMetrics:
    """Discard all metrics in the local run. Implements ``ports.system.Metrics``."""

    def add(self, metric: Metric, value: float = 1, *dimensions: str) -> None:
        """Discard the value."""

    def flush(self) -> None:
        """Do nothing, because no values are collected."""


def _print_line(dimensions: _Dimensions, values: list[tuple[Metric, float]]) -> None:
    line = AmazonCloudWatchEMFProvider(namespace=NAMESPACE, service=_NO_SERVICE, dimension_set=dict(dimensions))
    for metric, value in values:
        line.add_metric(metric.name, metric.unit.value, value)
    line.flush_metrics()
