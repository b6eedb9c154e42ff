"""What a turn costs, counted: invocations, state transitions, request units and requests."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from infra.usage import Usage
from tests.infra.deployment.inside import ITSELF
from tests.infra.deployment.recording import Call, read_calls

_PUTS = {"PutObject", "CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload", "PutObjectTagging", "ListParts"}
_GETS = {"GetObject", "HeadObject"}
_KB = 1024

Pages = Iterable[Mapping[str, Any]]
"""An execution's history, page by page."""


class Meter:
    """Notes how far the functions' notes are, to tell afterwards what came since."""

    def __init__(self, notes: Path) -> None:
        self._notes = notes
        self._before = Counter(call.who for call in read_calls(notes))

    def since(self) -> list[Call]:
        """Return what was noted since it was made."""
        calls = read_calls(self._notes)
        of_each = {who: [call for call in calls if call.who == who] for who in {call.who for call in calls}}
        return [call for who, own in of_each.items() for call in own[self._before[who] :]]


def count(calls: Sequence[Call], history: Pages) -> Usage:
    """Count what was noted while one turn ran, whose history is given; links that were signed count as followed."""
    return Usage(
        invocations=dict(sorted(Counter(call.who for call in calls if call.service == ITSELF).items())),
        transitions=_transitions(history),
        writes=sum(_writes(call) for call in calls if call.service == "dynamodb"),
        reads=sum(_reads(call) for call in calls if call.service == "dynamodb"),
        puts=sum(call.operation in _PUTS for call in calls if call.service == "s3"),
        gets=sum(call.operation in _GETS for call in calls if call.service == "s3"),
        messages=1 + sum(call.operation == "PostToConnection" for call in calls),
    )


def _transitions(history: Pages) -> int:
    """Each state that is entered, and the start."""
    return 1 + sum(str(event["type"]).endswith("StateEntered") for page in history for event in page["events"])


def _writes(call: Call) -> int:
    if call.operation == "TransactWriteItems":
        return 2 * sum(_size(item) for each in call.params["TransactItems"] for item in each.values())
    if call.operation == "BatchWriteItem":
        return sum(len(items) for items in call.params["RequestItems"].values())
    return _size(call.params) if call.operation in {"PutItem", "UpdateItem", "DeleteItem"} else 0


def _size(params: Mapping[str, Any]) -> int:
    """Return the units of an item as it is written; what is changed in place is taken for small."""
    return max(1, math.ceil(len(json.dumps(params.get("Item", {}))) / _KB))


def _reads(call: Call) -> int:
    if call.operation == "BatchGetItem":
        return sum(len(wanted["Keys"]) for wanted in call.params["RequestItems"].values())
    return int(call.operation in {"GetItem", "Query"})
