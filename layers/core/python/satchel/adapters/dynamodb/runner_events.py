"""Stores the events that runners report, until they are added to the events of their turns.

| item | key | attributes | written by |
|---|---|---|---|
| reported event | ``RUN#{call_id} / EVENT#{number}`` | ``doc`` | the runner |
| sign for the runner to stop the tool | ``RUN#{call_id} / STOP`` | | trusted functions |
| relay position | ``TURN#{turn_id} / RELAY#{call_id}`` | ``position``, ``count``, ``closed`` | trusted functions |

A runner executes third-party code, so its credentials write the partition ``RUN#{call_id}`` of its call and no other,
except, for remote servers, that of the MCP session of the conversation (``server_sessions``).
Everything in that partition is untrusted. One transaction adds reported events to the turn and moves the position, so
each reported event is added once, and in order, even if several functions relay the same call.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict
from satchel.adapters.dynamodb.events import EventLog
from satchel.adapters.dynamodb.inputs import input_item
from satchel.adapters.dynamodb.items import Item, runner_partition
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.ids import CallId, TurnId, turn_of
from satchel.domain.inputs import CallInput
from satchel.ports.calls import LatestReports, RelayPosition, ReportedPage
from satchel.ports.system import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from satchel.adapters.dynamodb.items import Values

PREFIX = "EVENT#"
RELAY_PREFIX = "RELAY#"
STOP = "STOP"
_PAGE_SIZE = 50  # a transaction is limited to 100 writes
MAX_COUNT = 5_000
"""The most events of a call that are relayed. A call of 15 minutes reports about 4,000."""
_UNREADABLE_COUNT = 50  # an unreadable item, which may have 400 KB, counts as this many events


@dataclass
class DynamoEventReporter:
    """Store the events of one call with the call's own credentials. Implements ``ports.calls.EventReporter``.

    A call has one runner, so the runner numbers the events itself. A repeated write of boto3 replaces its own item.
    """

    table: Table
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    has_reported: bool = False

    def report(self, call_id: CallId, event: NewEvent) -> None:
        document = json.dumps({"type": event.type, **event.payload}, ensure_ascii=False)
        sort_key = f"{PREFIX}{next(self.numbers):08d}"
        self.has_reported = True
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
        relayed = parse_position(self.table.get(*relay_key(call_id)))
        if relayed.is_closed:
            return None
        items, following = self.table.query(Query(runner_partition(call_id), PREFIX, _PAGE_SIZE, relayed.key))
        if not items:
            return None
        documents = [_document(item) for item in items]
        return ReportedPage(
            call_id, documents, str(items[-1]["sk"]), relayed.key, relayed.count, is_last=following is None
        )

    def read_latest(self, call_id: CallId) -> LatestReports:
        query = Query(runner_partition(call_id), PREFIX, _PAGE_SIZE, newest_first=True)
        items, earlier = self.table.query(query)
        documents = {str(item["sk"]): _document(item) for item in reversed(items)}
        return LatestReports(documents, is_complete=earlier is None)

    def relay(self, page: ReportedPage, events: Sequence[NewEvent], question: CallInput | None = None) -> bool:
        move = build_move(self.table, page, events)
        questions = [] if question is None else [self.table.build_put(input_item(question))]
        turn_id = TurnId(turn_of(page.call_id))
        try:
            if events:
                return bool(EventLog(self.table).append_with(turn_id, events, [move, *questions], self.clock.now()))
            self.table.transact([move])
        except (ConditionFailed, WriteConflict):
            return False
        return True

    def stop(self, call_id: CallId) -> None:
        self.table.transact([build_stop(self.table, call_id), build_close(self.table, call_id)])


def relay_key(call_id: CallId) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of a call's relay position."""
    return f"TURN#{turn_of(call_id)}", f"{RELAY_PREFIX}{call_id}"


def parse_position(item: Item | None) -> RelayPosition:
    """Return the relay position that an item stores. A call that has reached its limit is closed."""
    item = item or {}
    count = int(item.get("count", 0))
    key = str(item["position"]) if "position" in item else None
    return RelayPosition(key, count, is_closed="closed" in item or count >= MAX_COUNT)


def build_move(
    table: Table, page: ReportedPage, events: Sequence[NewEvent], *, closes: bool = False
) -> "TransactWriteItemTypeDef":
    """Build the write that moves the relay position behind a page. It fails if the position has moved or is closed."""
    unreadable = len(page.documents) - len(events)
    values: Values = {
        "to": page.position,
        "count": page.count + len(events) + _UNREADABLE_COUNT * unreadable,
        **({"from": page.previous} if page.previous else {}),
        **({"closed": True} if closes else {}),
    }
    unmoved = "#position = :from" if page.previous else "attribute_not_exists(#position)"
    return table.build_update(
        *relay_key(page.call_id),
        expression="SET #position = :to, #count = :count" + (", closed = :closed" if closes else ""),
        condition=f"attribute_not_exists(closed) AND {unmoved}",
        values=values,
        names={"#position": "position", "#count": "count"},
    )


def build_close(table: Table, call_id: CallId) -> "TransactWriteItemTypeDef":
    """Build the write after which no further events of the call are relayed."""
    return table.build_set(*relay_key(call_id), {"closed": True})


def build_stop(table: Table, call_id: CallId) -> "TransactWriteItemTypeDef":
    """Build the write that tells the runner of a call to stop the tool."""
    return table.build_put({"pk": runner_partition(call_id), "sk": STOP})


def _document(item: Item) -> str | None:
    document = item.get("doc")
    return document if isinstance(document, str) else None
