"""Conditional writes that did not happen, and the moment to wait before they are tried again."""

import random
import time
from collections.abc import Sequence

from botocore.exceptions import ClientError

_LONGEST_PAUSE = 0.05
_WRITE_AGAIN = {
    "TransactionConflict",
    "TransactionConflictException",
    "TransactionInProgressException",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
}


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


class conditions:  # noqa: N801  (used as a statement)
    """Turns the service's words for «your condition did not hold» into ours; all else passes as it is."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, ClientError):
            return
        code = error.response["Error"]["Code"]
        if code == "ConditionalCheckFailedException":
            raise ConditionFailed from error
        if code in _WRITE_AGAIN:
            raise WriteConflict from error
        if code == "TransactionCanceledException":
            reasons = [reason.get("Code") for reason in error.response.get("CancellationReasons", [])]
            if any(reason in _WRITE_AGAIN for reason in reasons):
                raise WriteConflict from error
            if failed := [place for place, reason in enumerate(reasons) if reason == "ConditionalCheckFailed"]:
                raise ConditionFailed(failed) from error
