"""Emulate how Lambda reads a DynamoDB stream: filter records, deliver them in ordered batches, and retry.

The reader supports BatchSize, FilterCriteria, MaximumRetryAttempts and ReportBatchItemFailures of an event source
mapping. On AWS, the deployed mapping also splits a failed batch to isolate the failing record. This reader does not.
"""

import json
import logging
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from local.emulator.aws.lambda_host import InvocationResult

Record = Mapping[str, Any]
Invoke = Callable[[Mapping[str, object]], InvocationResult]

_RETRY_SECONDS = 0.05
_log = logging.getLogger(__name__)


class StreamReader:
    """Delivers a DynamoDB stream's records to a function, in a separate thread, so that ``offer`` never blocks."""

    def __init__(self, invoke: Invoke, *, filters: Sequence[str], batch_size: Callable[[], int], retries: int) -> None:
        self._invoke = invoke
        self._patterns = [json.loads(each) for each in filters]
        self._batch_size = batch_size
        self._retries = retries
        self._records: queue.Queue[Record | None] = queue.Queue()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="stream-reader")
        self._thread.start()

    def offer(self, record: Record) -> None:
        """Queue a DynamoDB stream record for delivery to the function, if the record passes the filters."""
        if not self._patterns or any(matches_pattern(pattern, record) for pattern in self._patterns):
            self._records.put(record)

    @property
    def is_idle(self) -> bool:
        """Return True if the function has processed all records."""
        return not self._records.unfinished_tasks

    def close(self, timeout: float) -> None:
        """Deliver no more batches. Wait up to ``timeout`` seconds until the function has processed the current one."""
        self._closed.set()
        self._records.put(None)
        self._thread.join(timeout)

    def _run(self) -> None:
        while not self._closed.is_set():
            batch = self._next_batch()
            if records := [record for record in batch if record is not None]:
                self._deliver(records)
            for _ in batch:
                self._records.task_done()

    def _next_batch(self) -> list[Record | None]:
        """Wait until at least one record is queued. Return all queued records, but at most ``batch_size()`` records."""
        batch = [self._records.get()]
        size = self._batch_size()
        while len(batch) < size and not self._records.empty():
            batch.append(self._records.get())
        return batch

    def _deliver(self, batch: Sequence[Record]) -> None:
        for _ in range(1 + self._retries):
            batch = self._invoke_with(batch)
            if not batch or self._closed.wait(_RETRY_SECONDS):
                return
        _log.warning("Dropped %d records of a stream after the last retry", len(batch))

    def _invoke_with(self, batch: Sequence[Record]) -> Sequence[Record]:
        """Invoke the function with the batch. Return the records to retry: the first failed one and all later ones."""
        result = self._invoke({"Records": list(batch)})
        if result.failed:
            _log.warning("A batch of a stream failed: %s", result.payload)
            return batch
        failures = (json.loads(result.payload) or {}).get("batchItemFailures", [])
        failed = {failure["itemIdentifier"] for failure in failures}
        for position, record in enumerate(batch):
            if record["dynamodb"]["SequenceNumber"] in failed:
                return batch[position:]
        return []


def matches_pattern(pattern: Mapping[str, Any], value: object) -> bool:
    """Return True if ``value`` matches ``pattern``, a filter pattern of an event source mapping.

    Raise ValueError if the pattern has rules other than exact values and ``prefix``.
    """
    return isinstance(value, Mapping) and all(_matches(rules, value.get(name)) for name, rules in pattern.items())


def _matches(rules: Mapping[str, Any] | Sequence[object], value: object) -> bool:
    if isinstance(rules, Mapping):
        return matches_pattern(rules, value)
    return any(_matches_rule(rule, value) for rule in rules)


def _matches_rule(rule: object, value: object) -> bool:
    if not isinstance(rule, Mapping):
        return rule == value
    if rule.keys() != {"prefix"}:
        raise ValueError(f"unsupported filter rule: {sorted(rule)}")
    return isinstance(value, str) and value.startswith(rule["prefix"])
