"""Handle a batch of DynamoDB stream records: relay what runners reported, and push the new events of turns."""

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from satchel.domain.ids import CallId, TurnId

logger = logging.getLogger(__name__)

MAX_THREADS = 50
"""Turns and calls of a batch that are handled at once. Each thread needs a connection; the boto3 clients hold 50."""

_TURN_PREFIX = "TURN#"
_RUN_PREFIX = "RUN#"
_PUSHED_PREFIXES = ("EVENT#", "SUB#")

_Work = Callable[[], bool]


@dataclass(frozen=True)
class StreamBatchHandler:
    """Call ``push`` once for each turn with new events or subscriptions, and ``relay`` once for each reporting call.

    Relayed events are new events of a turn, so their records trigger the push. Both functions return False if the work
    must be repeated. All calls run in parallel, because they wait for network requests most of the time. So a slow
    turn, for example one with an unreachable connection, does not delay the others of the batch.
    """

    push: Callable[[TurnId], bool]
    relay: Callable[[CallId], bool]

    def __call__(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Handle the batch. Return the first record (if any) whose work failed: Lambda retries from this record."""
        first_records: dict[str, str] = {}
        works: dict[str, _Work] = {}
        for record in event["Records"]:
            keys = record["dynamodb"]["Keys"]
            pk, sk = str(keys["pk"]["S"]), str(keys["sk"]["S"])
            if (work := self._work(pk, sk)) and pk not in works:
                works[pk], first_records[pk] = work, record["dynamodb"]["SequenceNumber"]
        # Keep the batch's order, so that the first failure is the earliest record, from which Lambda must retry.
        done = _run_all(works)
        failed = [number for pk, number in first_records.items() if not _succeeded(pk, done[pk])]
        return {"batchItemFailures": [{"itemIdentifier": number} for number in failed[:1]]}

    def _work(self, pk: str, sk: str) -> _Work | None:
        """Return the work for an item with this key, or None if there is none."""
        if pk.startswith(_TURN_PREFIX) and sk.startswith(_PUSHED_PREFIXES):
            return partial(self.push, TurnId(pk.removeprefix(_TURN_PREFIX)))
        if pk.startswith(_RUN_PREFIX):
            return partial(self.relay, CallId(pk.removeprefix(_RUN_PREFIX)))
        return None


@lru_cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="push")


def _run_all(works: Mapping[str, _Work]) -> Mapping[str, Future[bool]]:
    """Run all work, and return when the last one has ended. The log keys of this invocation stay set."""
    done = {pk: _threads().submit(copy_context().run, work) for pk, work in works.items()}
    wait(done.values())
    return done


def _succeeded(pk: str, done: Future[bool]) -> bool:
    """Return True if the work succeeded. Log an unexpected error, which must not repeat the work before it."""
    if error := done.exception():
        logger.error("push failed", exc_info=error, extra={"partition": pk})
        return False
    return done.result()
