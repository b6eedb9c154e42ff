"""Reads the table's stream, relays what runners report, and sends turns' new events to WebSocket connections."""

from functools import lru_cache
from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed, with_turn_id
from satchel.entrypoints.stream import StreamBatchHandler


@lru_cache
def batch() -> StreamBatchHandler:
    """Return the handler of DynamoDB stream batches. It is built once, and its log lines contain the turn's id."""
    return StreamBatchHandler(push=with_turn_id(use_cases().push_events), relay=with_turn_id(use_cases().relay_events))


@observed("push")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Relay and push the turn events in a batch of DynamoDB stream records."""
    del context
    return batch()(event)
