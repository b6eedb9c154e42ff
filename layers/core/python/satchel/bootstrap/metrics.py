"""Where the figures of this process go."""

from functools import lru_cache

from satchel.adapters.emf_metrics import EmfMetrics, SilentMetrics
from satchel.settings import MetricSettings


@lru_cache
def metrics() -> EmfMetrics | SilentMetrics:
    """Return the metrics of this process; the end of each invocation flushes them."""
    return EmfMetrics() if MetricSettings().metrics == "emf" else SilentMetrics()
