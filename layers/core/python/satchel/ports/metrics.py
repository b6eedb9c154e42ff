"""Where figures go."""

from typing import Protocol

from satchel.domain.metrics import Metric


class Metrics(Protocol):
    """Takes measurements. Losing one loses a figure, no more: nothing is raised for the world's reasons."""

    def add(self, metric: Metric, value: float = 1, *dimensions: str) -> None:
        """Note a value; ``dimensions`` in the order in which the metric names them.

        Raises ValueError for more or fewer than it has.
        """
        ...
