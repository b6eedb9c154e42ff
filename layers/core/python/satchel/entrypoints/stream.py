"""The table's stream: which turns it tells of, and from where on it is to be told again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from satchel.domain.ids import TurnId

_TURN = "TURN#"
_TELLING = ("EVENT#", "SUB#")


@dataclass(frozen=True)
class StreamBatch:
    """Calls ``push`` once for each turn of a batch, which may come more than once, and answers what did not succeed."""

    push: Callable[[TurnId], bool]

    def __call__(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Return the first record from which on Lambda is to try again (``ReportBatchItemFailures``), if any."""
        first: dict[TurnId, str] = {}
        for record in event["Records"]:
            if turn_id := _turn_of(record):
                first.setdefault(turn_id, record["dynamodb"]["SequenceNumber"])
        # In the order of the batch, so that the first failure is the earliest record.
        failed = [number for turn_id, number in first.items() if not self.push(turn_id)]
        return {"batchItemFailures": [{"itemIdentifier": number} for number in failed[:1]]}


def _turn_of(record: Mapping[str, Any]) -> TurnId | None:
    """Return the turn of an event or a subscription; the filter lets nothing else through, where there is one."""
    keys = record["dynamodb"]["Keys"]
    pk, sk = str(keys["pk"]["S"]), str(keys["sk"]["S"])
    return TurnId(pk.removeprefix(_TURN)) if pk.startswith(_TURN) and sk.startswith(_TELLING) else None
