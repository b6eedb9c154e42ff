"""Lambda's reader of a stream: batches in order, filtered, tried again as far as the mapping says.

Of an event source mapping it keeps BatchSize, FilterCriteria, MaximumRetryAttempts and ReportBatchItemFailures. A batch
that fails as a whole is not split: what is deployed does so, to find the record that is the trouble.
"""

import json
import logging
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from local.aws.functions import Outcome

Record = Mapping[str, Any]
Invoke = Callable[[Mapping[str, object]], Outcome]

_PAUSE = 0.05  # seconds before another try
_log = logging.getLogger(__name__)


class StreamReader:
    """A thread that lives until ``close``; who offers a record never waits."""

    def __init__(self, invoke: Invoke, *, filters: Sequence[str], batch_size: int, retries: int) -> None:
        self._invoke = invoke
        self._patterns = [json.loads(each) for each in filters]
        self._batch_size = batch_size
        self._retries = retries
        self._records: queue.SimpleQueue[Record | None] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True, name="stream-reader")
        self._thread.start()

    def offer(self, record: Record) -> None:
        """Take a record, if it passes the filters; those that are offered first come first."""
        if not self._patterns or any(matches(pattern, record) for pattern in self._patterns):
            self._records.put(record)

    def close(self, timeout: float) -> None:
        """Read no more, and wait up to ``timeout`` seconds for the batch that is being read."""
        self._closed.set()
        self._records.put(None)
        self._thread.join(timeout)

    def _read(self) -> None:
        while not self._closed.is_set():
            if batch := self._next_batch():
                self._deliver(batch)

    def _next_batch(self) -> list[Record]:
        """Wait for a record, and take with it what is there already."""
        batch = [self._records.get()]
        while len(batch) < self._batch_size and not self._records.empty():
            batch.append(self._records.get())
        return [record for record in batch if record is not None]

    def _deliver(self, batch: Sequence[Record]) -> None:
        for _ in range(1 + self._retries):
            batch = self._ask(batch)
            if not batch or self._closed.wait(_PAUSE):
                return
        _log.warning("%d records of a stream were given up", len(batch))

    def _ask(self, batch: Sequence[Record]) -> Sequence[Record]:
        """Return what has to come again."""
        outcome = self._invoke({"Records": list(batch)})
        if outcome.failed:
            _log.warning("a batch of a stream failed: %s", outcome.payload)
            return batch
        failures = (json.loads(outcome.payload) or {}).get("batchItemFailures", [])
        failed = {failure["itemIdentifier"] for failure in failures}
        for place, record in enumerate(batch):
            if record["dynamodb"]["SequenceNumber"] in failed:
                return batch[place:]
        return []


def matches(pattern: Mapping[str, Any], value: object) -> bool:
    """Tell whether an event passes a filter of exact values and ``prefix``. Raises ValueError for any other rule."""
    return isinstance(value, Mapping) and all(_fits(wanted, value.get(name)) for name, wanted in pattern.items())


def _fits(wanted: Mapping[str, Any] | Sequence[object], value: object) -> bool:
    if isinstance(wanted, Mapping):
        return matches(wanted, value)
    return any(_allows(rule, value) for rule in wanted)


def _allows(rule: object, value: object) -> bool:
    if not isinstance(rule, Mapping):
        return rule == value
    if rule.keys() != {"prefix"}:
        raise ValueError(f"a filter's rule that is not known here: {sorted(rule)}")
    return isinstance(value, str) and value.startswith(rule["prefix"])
