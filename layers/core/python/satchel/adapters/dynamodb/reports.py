"""Stores the reports of runners.

| item | key | attributes | written by |
|---|---|---|---|
| report | ``RUN#{call_id} / OUTCOME`` | ``doc``, unless the report is large | the runner, or a function in its place |

A large report is an object in S3. The item is written for each report, so it says which one is the latest.
"""

import io
from dataclasses import dataclass

from satchel.adapters.dynamodb.items import Item, runner_partition
from satchel.adapters.dynamodb.table import Table
from satchel.domain.calls import RunnerReport
from satchel.domain.ids import CallId
from satchel.domain.object_keys import UNCLAIMED_TAGS, outcome_key
from satchel.ports.calls import CallIds
from satchel.ports.storage import FileStore

MAX_REPORT_BYTES = 8 << 20
MAX_ITEM_BYTES = 8_000
"""Above this size, the write units of an item cost more than two requests to S3, and no less time."""


def report_key(call_id: CallId) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of the report of a call."""
    return runner_partition(call_id), "OUTCOME"


def parse_report(store: FileStore, call: CallIds, item: Item | None) -> RunnerReport | None:
    """Return the report of a call with this item, or None if there is none. An invalid one fails the call."""
    if item and "doc" in item:
        return RunnerReport.parse(str(item["doc"]), call.call_id)
    try:
        text = store.read(_object_key(call), MAX_REPORT_BYTES)  # large, missing, or of a runner of an earlier version
    except ValueError as error:
        return RunnerReport.invalid(call.call_id, str(error))
    return None if text is None else RunnerReport.parse(text, call.call_id)


def _object_key(call: CallIds) -> str:
    return outcome_key(call.user, call.turn_id, call.call_id)


@dataclass(frozen=True)
class DynamoReports:
    """Store reports in the table, and large ones in S3. Implements ``ports.calls.Reports``."""

    table: Table
    store: FileStore

    def save(self, call: CallIds, report: RunnerReport) -> None:
        text = report.model_dump_json()
        pk, sk = report_key(call.call_id)
        item: Item = {"pk": pk, "sk": sk}
        if len(body := text.encode()) <= MAX_ITEM_BYTES:
            item["doc"] = text
        else:
            self.store.put(_object_key(call), io.BytesIO(body), "application/json", UNCLAIMED_TAGS)
        self.table.put(item)

    def read(self, call: CallIds) -> RunnerReport | None:
        return parse_report(self.store, call, self.table.get(*report_key(call.call_id)))
