"""The handler of the table's stream: finds the turns whose events or subscriptions changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from satchel.domain.ids import TurnId

_TURN_PREFIX = "TURN#"
_PUSHED_PREFIXES = ("EVENT#", "SUB#")


@dataclass(frozen=True)
class StreamBatchHandler:
    """Calls ``push`` once for each turn of a batch; ``push`` returns False if it must be tried again."""

    push: Callable[[TurnId], bool]

    def __call__(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Return the first record from which Lambda must retry the batch (``ReportBatchItemFailures``), if any."""
        first_records: dict[TurnId, str] = {}
        for record in event["Records"]:
            if turn_id := _find_turn_id(record):
                first_records.setdefault(turn_id, record["dynamodb"]["SequenceNumber"])
        # In the order of the batch, so that the first failure is the earliest record.
        failed = [number for turn_id, number in first_records.items() if not self.push(turn_id)]
        return {"batchItemFailures": [{"itemIdentifier": number} for number in failed[:1]]}


def _find_turn_id(record: Mapping[str, Any]) -> TurnId | None:
    """Return the turn of an event or a subscription. Return None for other records, which the filter drops."""
    keys = record["dynamodb"]["Keys"]
    pk, sk = str(keys["pk"]["S"]), str(keys["sk"]["S"])
    if pk.startswith(_TURN_PREFIX) and sk.startswith(_PUSHED_PREFIXES):
        return TurnId(pk.removeprefix(_TURN_PREFIX))
    return None
