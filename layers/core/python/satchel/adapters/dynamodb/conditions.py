"""Conditional writes that did not happen, and the moment to wait before they are tried again."""

import random
import time
from collections.abc import Sequence

_LONGEST_PAUSE = 0.05


class ConditionFailed(Exception):
    """A conditional write did not happen. ``at`` lists the places in the transaction whose condition failed."""

    def __init__(self, at: Sequence[int] = (0,)) -> None:
        super().__init__(f"condition failed at {list(at)}")
        self.at = list(at)


class WriteConflict(Exception):
    """Two writers met on one item."""


def pause() -> None:
    """Wait a moment before trying again, each writer another one."""
    time.sleep(random.uniform(0, _LONGEST_PAUSE))  # noqa: S311  (spreads writers, keeps no secret)
