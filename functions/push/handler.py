"""Reads the DynamoDB table's stream and sends new events of turns to the WebSocket connections that follow them."""

from functools import lru_cache
from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed, with_turn_id
from satchel.entrypoints.stream import StreamBatchHandler


@lru_cache
def batch() -> StreamBatchHandler:
    """Return the handler of DynamoDB stream batches. It is built once, and its log lines contain the turn's id."""
    return StreamBatchHandler(with_turn_id(use_cases().push_events))


@observed("push")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Push the turn events in a batch of DynamoDB stream records to the connections that follow the turns."""
    del context
    return batch()(event)
