"""Handle a batch of DynamoDB stream records: push events for each turn that has new events or subscriptions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from satchel.domain.ids import TurnId

_TURN_PREFIX = "TURN#"
_PUSHED_PREFIXES = ("EVENT#", "SUB#")


@dataclass(frozen=True)
class StreamBatchHandler:
    """Call ``push`` once for each turn in a batch of stream records. ``push`` returns False if it must be retried."""

    push: Callable[[TurnId], bool]

    def __call__(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Push new events of the batch's turns. Return the first failed record (if any), from which Lambda retries."""
        first_records: dict[TurnId, str] = {}
        for record in event["Records"]:
            if turn_id := _find_turn_id(record):
                first_records.setdefault(turn_id, record["dynamodb"]["SequenceNumber"])
        # Keep the batch's order, so that the first failure is the earliest record, from which Lambda must retry.
        failed = [number for turn_id, number in first_records.items() if not self.push(turn_id)]
        return {"batchItemFailures": [{"itemIdentifier": number} for number in failed[:1]]}


def _find_turn_id(record: Mapping[str, Any]) -> TurnId | None:
    """Return the turn id if the record is an event or a subscription, otherwise None."""
    keys = record["dynamodb"]["Keys"]
    pk, sk = str(keys["pk"]["S"]), str(keys["sk"]["S"])
    if pk.startswith(_TURN_PREFIX) and sk.startswith(_PUSHED_PREFIXES):
        return TurnId(pk.removeprefix(_TURN_PREFIX))
    return None
