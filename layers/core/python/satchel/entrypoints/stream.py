"""Handle a batch of DynamoDB stream records: push events for each turn that has new events or subscriptions."""

import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

from satchel.domain.ids import TurnId

logger = logging.getLogger(__name__)

MAX_THREADS = 50
"""Turns of a batch that are pushed at once. Each thread needs a connection of the boto3 clients, which hold 50."""

_TURN_PREFIX = "TURN#"
_PUSHED_PREFIXES = ("EVENT#", "SUB#")


@dataclass(frozen=True)
class StreamBatchHandler:
    """Call ``push`` once for each turn in a batch of stream records. ``push`` returns False if it must be retried.

    Turns are pushed in parallel, because a turn waits for network requests most of the time. So a slow turn, for
    example one with an unreachable connection, does not delay the other turns of the batch.
    """

    push: Callable[[TurnId], bool]

    def __call__(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Push new events of the batch's turns. Return the first failed record (if any), from which Lambda retries."""
        first_records: dict[TurnId, str] = {}
        for record in event["Records"]:
            if turn_id := _find_turn_id(record):
                first_records.setdefault(turn_id, record["dynamodb"]["SequenceNumber"])
        # Keep the batch's order, so that the first failure is the earliest record, from which Lambda must retry.
        pushed = self._push_all(first_records)
        failed = [number for turn_id, number in first_records.items() if not _succeeded(turn_id, pushed[turn_id])]
        return {"batchItemFailures": [{"itemIdentifier": number} for number in failed[:1]]}

    def _push_all(self, turn_ids: Iterable[TurnId]) -> Mapping[TurnId, Future[bool]]:
        """Push all turns, and return when the last one has ended. The log keys of this invocation stay set."""
        with ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="push") as threads:
            return {turn_id: threads.submit(copy_context().run, self.push, turn_id) for turn_id in turn_ids}


def _succeeded(turn_id: TurnId, pushed: Future[bool]) -> bool:
    """Return True if a turn was pushed. Log an unexpected error, which must not repeat the turns before it."""
    if error := pushed.exception():
        logger.error("push failed", exc_info=error, extra={"turn_id": turn_id})
        return False
    return pushed.result()


def _find_turn_id(record: Mapping[str, Any]) -> TurnId | None:
    """Return the turn id if the record is an event or a subscription, otherwise None."""
    keys = record["dynamodb"]["Keys"]
    pk, sk = str(keys["pk"]["S"]), str(keys["sk"]["S"])
    if pk.startswith(_TURN_PREFIX) and sk.startswith(_PUSHED_PREFIXES):
        return TurnId(pk.removeprefix(_TURN_PREFIX))
    return None
