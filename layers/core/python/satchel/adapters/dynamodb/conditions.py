"""Exceptions for failed or conflicting writes to DynamoDB, and the random waits between tries."""

import random
import time
from collections.abc import Iterator, Sequence
from typing import Any

from botocore.exceptions import ClientError

from satchel.adapters.dynamodb.items import Item, decode

_FIRST_WAIT_SECONDS, _MAX_WAIT_SECONDS = 0.01, 0.1
_CONFLICT_CODES = {
    "TransactionConflict",
    "TransactionConflictException",
    "TransactionInProgressException",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
}


class ConditionFailed(Exception):
    """The condition of a write was false. ``positions``: the indexes of the failed writes in the transaction.

    ``existing`` is the item that made the condition false, if the request asked for it.
    """

    def __init__(self, positions: Sequence[int] = (0,), existing: Item | None = None) -> None:
        super().__init__(f"condition failed in writes {list(positions)}")
        self.positions = list(positions)
        self.existing = existing or {}


class WriteConflict(Exception):
    """Another writer changed the item at the same time, or DynamoDB throttled the write; a retry may succeed."""


def tries(times: int) -> Iterator[int]:
    """Yield 0, 1, …, ``times`` - 1, with a wait before each number except the first.

    The waits are random, so that conflicting writers do not retry at the same time. Their maximum doubles from 10 ms to
    100 ms.
    """
    for number in range(times):
        if number:
            longest = min(_MAX_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2 ** (number - 1))
            time.sleep(random.uniform(0, longest))  # noqa: S311  (spreads retries; not for security)
        yield number


class translate_errors:  # noqa: N801  (used like a function in ``with`` statements)
    """Context manager that converts boto3 errors to ConditionFailed or WriteConflict. Other errors pass unchanged."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, ClientError):
            return
        code = error.response["Error"]["Code"]
        if code == "ConditionalCheckFailedException":
            item: Any = error.response.get("Item")  # boto3's stubs do not know it
            raise ConditionFailed(existing=decode(item) if item else None) from error
        if code in _CONFLICT_CODES:
            raise WriteConflict from error
        if code == "TransactionCanceledException":
            reasons = [reason.get("Code") for reason in error.response.get("CancellationReasons", [])]
            if any(reason in _CONFLICT_CODES for reason in reasons):
                raise WriteConflict from error
            if failed := [index for index, reason in enumerate(reasons) if reason == "ConditionalCheckFailed"]:
                raise ConditionFailed(failed) from error
