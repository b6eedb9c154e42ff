"""The target of the table's stream: sends new events to the connections that follow their turn."""

from functools import lru_cache
from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed, with_turn_id
from satchel.entrypoints.stream import StreamBatchHandler


@lru_cache
def batch() -> StreamBatchHandler:
    """Return the consumer of batches, built for the first event; its log lines name the turn that they are about."""
    return StreamBatchHandler(with_turn_id(use_cases().push_events))


@observed("push")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Push the events of one batch."""
    del context
    return batch()(event)
