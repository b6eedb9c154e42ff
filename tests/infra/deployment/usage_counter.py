"""The billed AWS usage of a turn: invocations, transitions, request units and requests in the recorded calls."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from infra.usage import Usage
from tests.infra.deployment.function_process import INVOCATION, METRIC
from tests.infra.deployment.recorded_calls import Call, read_calls

_PUTS = {"PutObject", "CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload", "PutObjectTagging", "ListParts"}
_GETS = {"GetObject", "HeadObject"}
_KB = 1024

Pages = Iterable[Mapping[str, Any]]
"""The pages of an execution's history."""


class CallMeter:
    """The calls that functions send after this object is created."""

    def __init__(self, call_logs: Path) -> None:
        self._call_logs = call_logs
        self._earlier = Counter(call.function for call in read_calls(call_logs))

    def new_calls(self) -> list[Call]:
        """Return the calls since the creation."""
        calls: dict[str, list[Call]] = {}
        for call in read_calls(self._call_logs):
            calls.setdefault(call.function, []).append(call)
        return [call for function, own in calls.items() for call in own[self._earlier[function] :]]


def count(calls: Sequence[Call], history: Pages) -> Usage:
    """Return the usage of one turn from its calls and its execution's history (none: it had no execution).

    Signed requests count as sent.
    """
    return Usage(
        invocations=dict(sorted(Counter(call.function for call in calls if call.service == INVOCATION).items())),
        transitions=_transitions(history),
        writes=sum(_writes(call) for call in calls if call.service == "dynamodb"),
        reads=sum(_reads(call) for call in calls if call.service == "dynamodb"),
        puts=sum(call.operation in _PUTS for call in calls if call.service == "s3"),
        gets=sum(call.operation in _GETS for call in calls if call.service == "s3"),
        messages=1 + sum(call.operation == "PostToConnection" for call in calls),
    )


def count_series(call_logs: Path) -> dict[str, int]:
    """Return for each metric how many combinations of dimension values the functions wrote. AWS bills each of them."""
    calls = [call for call in read_calls(call_logs) if call.service == METRIC]
    written = {(call.operation, tuple(sorted(call.params.items()))) for call in calls}
    return dict(Counter(metric for metric, _ in written))


def _transitions(history: Pages) -> int:
    """Return the number of entered states, plus one for the start. Without an execution, there are none."""
    pages = list(history)
    return bool(pages) + sum(str(event["type"]).endswith("StateEntered") for page in pages for event in page["events"])


def _writes(call: Call) -> int:
    if call.operation == "TransactWriteItems":
        return 2 * sum(_size(item) for each in call.params["TransactItems"] for item in each.values())
    if call.operation == "BatchWriteItem":
        return sum(len(items) for items in call.params["RequestItems"].values())
    return _size(call.params) if call.operation in {"PutItem", "UpdateItem", "DeleteItem"} else 0


def _size(params: Mapping[str, Any]) -> int:
    """Return the write units of an item. An update counts as one unit."""
    return max(1, math.ceil(len(json.dumps(params.get("Item", {}))) / _KB))


def _reads(call: Call) -> int:
    if call.operation == "BatchGetItem":
        return sum(len(request["Keys"]) for request in call.params["RequestItems"].values())
    return int(call.operation in {"GetItem", "Query"})
