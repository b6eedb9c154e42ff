"""Stores the reports of runners.

| item | key | attributes | written by |
|---|---|---|---|
| report | ``RUN#{call_id} / OUTCOME`` | ``doc``, unless the report is large | the runner, or a function in its place |

A large report is an object in S3. The item is written for each report, so it says which one is the latest.
"""

import io
from dataclasses import dataclass

from pydantic import ValidationError

from satchel.adapters.dynamodb.items import Item, runner_partition
from satchel.adapters.dynamodb.table import Table
from satchel.domain.calls import RunnerReport
from satchel.domain.object_keys import UNCLAIMED_TAGS, outcome_key
from satchel.ports.calls import CallIds
from satchel.ports.storage import FileStore

MAX_REPORT_BYTES = 8 << 20
MAX_ITEM_BYTES = 8_000
"""Above this size, the write units of an item cost more than two requests to S3, and no less time."""

_OUTCOME = "OUTCOME"


@dataclass(frozen=True)
class DynamoReports:
    """Store reports in the table, and large ones in S3. Implements ``ports.calls.Reports``."""

    table: Table
    store: FileStore

    def save(self, call: CallIds, report: RunnerReport) -> None:
        text = report.model_dump_json()
        item: Item = {"pk": runner_partition(call.call_id), "sk": _OUTCOME}
        if len(body := text.encode()) <= MAX_ITEM_BYTES:
            item["doc"] = text
        else:
            key = outcome_key(call.user, call.turn_id, call.call_id)
            self.store.put(key, io.BytesIO(body), "application/json", UNCLAIMED_TAGS)
        self.table.put(item)

    def read(self, call: CallIds) -> RunnerReport | None:
        item = self.table.get(runner_partition(call.call_id), _OUTCOME) or {}
        text: str | bytes | None = str(item["doc"]) if "doc" in item else None
        if text is None:  # large, missing, or of a runner of an earlier version
            text = self.store.read(outcome_key(call.user, call.turn_id, call.call_id), MAX_REPORT_BYTES)
        if text is None:
            return None
        try:
            return RunnerReport.model_validate_json(text)
        except ValidationError as error:
            raise ValueError(f"the report is malformed ({error.error_count()} errors)") from error
