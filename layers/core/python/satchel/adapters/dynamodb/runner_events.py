"""Stores the events that runners report, until they are added to the events of their turns.

| item | key | attributes | written by |
|---|---|---|---|
| reported event | ``RUN#{call_id} / EVENT#{number}`` | ``doc`` | the runner |
| relay position | ``TURN#{turn_id} / RELAY#{call_id}`` | ``position``, ``count``, ``closed`` | trusted functions |

A runner executes third-party code, so its credentials write the partition ``RUN#{call_id}`` of its call and no other.
Everything in that partition is untrusted. One transaction adds reported events to the turn and moves the position, so
each reported event is added once, and in order, even if several functions relay the same call.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict
from satchel.adapters.dynamodb.events import DynamoEvents
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.ids import CallId, TurnId, turn_of
from satchel.ports.calls import ReportedPage
from satchel.ports.system import Clock

if TYPE_CHECKING:
    from satchel.adapters.dynamodb.items import Values

PREFIX = "EVENT#"
RELAY_PREFIX = "RELAY#"
_PAGE_SIZE = 50  # a transaction is limited to 100 writes
MAX_COUNT = 5_000
"""The most events of a call that are relayed. A call of 15 minutes reports about 4,000."""
_UNREADABLE_COUNT = 50  # an unreadable item, which may have 400 KB, counts as this many events


def runner_partition(call_id: CallId) -> str:
    """Return the key of the only partition that the credentials of a call can write."""
    return f"RUN#{call_id}"


@dataclass(frozen=True)
class DynamoEventReporter:
    """Store the events of one call with the call's own credentials. Implements ``ports.calls.EventReporter``.

    A call has one runner, so the runner numbers the events itself. A repeated write of boto3 replaces its own item.
    """

    table: Table
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def report(self, call_id: CallId, event: NewEvent) -> None:
        document = json.dumps({"type": event.type, **event.payload}, ensure_ascii=False)
        sort_key = f"{PREFIX}{next(self.numbers):08d}"
        try:
            self.table.put({"pk": runner_partition(call_id), "sk": sort_key, "doc": document})
        except (WriteConflict, ClientError, BotoCoreError) as error:
            raise Unavailable("The event could not be written.") from error


@dataclass(frozen=True)
class DynamoReportedEvents:
    """Read reported events and add them to their turns. Implements ``ports.calls.ReportedEvents``."""

    table: Table
    clock: Clock

    def read(self, call_id: CallId) -> ReportedPage | None:
        cursor = self.table.get(*_relay_key(call_id)) or {}
        counted = int(cursor.get("count", 0))
        if "closed" in cursor or counted >= MAX_COUNT:
            return None
        previous = str(cursor["position"]) if "position" in cursor else None
        items, following = self.table.query(Query(runner_partition(call_id), PREFIX, _PAGE_SIZE, previous))
        if not items:
            return None
        documents = [document if isinstance(document := item.get("doc"), str) else None for item in items]
        return ReportedPage(call_id, documents, str(items[-1]["sk"]), previous, counted, is_last=following is None)

    def relay(self, page: ReportedPage, events: Sequence[NewEvent]) -> bool:
        unreadable = len(page.documents) - len(events)
        values: Values = {
            "to": page.position,
            "count": page.count + len(events) + _UNREADABLE_COUNT * unreadable,
            **({"from": page.previous} if page.previous else {}),
        }
        unmoved = "#position = :from" if page.previous else "attribute_not_exists(#position)"
        move = self.table.build_update(
            *_relay_key(page.call_id),
            expression="SET #position = :to, #count = :count",
            condition=f"attribute_not_exists(closed) AND {unmoved}",
            values=values,
            names={"#position": "position", "#count": "count"},
        )
        if events:
            turn_id = TurnId(turn_of(page.call_id))
            return bool(DynamoEvents(self.table, self.clock).append_with(turn_id, events, [move]))
        try:
            self.table.transact([move])
        except (ConditionFailed, WriteConflict):
            return False
        return True

    def close(self, call_id: CallId) -> None:
        with suppress(ConditionFailed):
            self.table.update(
                *_relay_key(call_id),
                expression="SET closed = :closed",
                condition="attribute_not_exists(closed)",
                values={"closed": True},
            )


def _relay_key(call_id: CallId) -> tuple[str, str]:
    return f"TURN#{turn_of(call_id)}", f"{RELAY_PREFIX}{call_id}"
