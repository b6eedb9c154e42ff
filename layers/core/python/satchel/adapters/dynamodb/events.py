"""Stores the events of turns as items ``TURN#{turn_id} / EVENT#{seq}``.

The same partition holds the counter ``SEQ``, and an item ``ONCE#{key}`` for each event with a deduplication key. One
transaction increments the counter and writes the event, so sequence numbers have no gaps and a reader never misses an
event. The last event of a turn closes the counter, so no event can follow it. Runners cannot write this partition:
``runner_events`` stores what they report.
"""

import json
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, tries
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.errors import Unavailable
from satchel.domain.events import FINAL_EVENTS, Event, NewEvent
from satchel.domain.ids import TurnId
from satchel.ports.system import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

logger = logging.getLogger(__name__)

PREFIX = "EVENT#"
_SORT_KEY = re.compile(rf"{PREFIX}([0-9]{{8}})")
_MAX_TRIES = 60
_COUNTER_UNCHANGED = "seq = :last AND attribute_not_exists(closed)"


@dataclass(frozen=True)
class DynamoEvents:
    """Store the events of turns. If several writers append events at once, one succeeds and the others retry."""

    table: Table
    clock: Clock

    def append(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        """Write an event with the turn's next sequence number and return it. Raise Unavailable if the write fails.

        Return None if the turn's last event is already stored, or if an event with the same ``dedupe_key`` is stored.
        """
        once = {"pk": f"TURN#{turn_id}", "sk": f"ONCE#{event.dedupe_key}"}
        marker = [self.table.build_put({**once}, if_absent=True)] if event.dedupe_key else []
        return next(iter(self.append_with(turn_id, [event], marker)), None)

    def append_with(
        self, turn_id: TurnId, events: Sequence[NewEvent], writes: Sequence["TransactWriteItemTypeDef"]
    ) -> Sequence[Event]:
        """Append events and run ``writes`` in one transaction. Return the events. Raise Unavailable if it fails.

        Return no events, and write nothing, if the turn's last event is stored or a condition of ``writes`` is false.
        """
        for _ in tries(_MAX_TRIES):
            try:
                numbered = self._number(turn_id, events)
                if not numbered:
                    return []
                self.table.transact([self._count(numbered), *map(self._put, numbered), *writes])
            except WriteConflict:
                continue
            except ConditionFailed as error:
                if max(error.positions) > len(events):
                    return []
            except (ClientError, BotoCoreError) as error:
                raise Unavailable("The event could not be written.") from error
            else:
                return numbered
        raise Unavailable("Too many concurrent writers of events of one turn.")

    def _number(self, turn_id: TurnId, events: Sequence[NewEvent]) -> Sequence[Event]:
        """Return the events with the turn's next sequence numbers, or none if the last event is stored."""
        counter = self.table.get(f"TURN#{turn_id}", "SEQ")
        if counter and "closed" in counter:
            return []
        last = counter.get("seq") if counter else 0
        if not isinstance(last, int):
            raise Unavailable("The number of the last event cannot be read.")
        return [
            Event(seq=seq, turn_id=turn_id, type=event.type, at=self.clock.now(), payload=event.payload)
            for seq, event in enumerate(events, start=last + 1)
        ]

    def _count(self, events: Sequence[Event]) -> "TransactWriteItemTypeDef":
        """Build the write that sets the turn's counter to the number of the last of these events."""
        last, next_ = events[0].seq - 1, events[-1].seq
        is_final = any(event.type in FINAL_EVENTS for event in events)
        return self.table.build_update(
            f"TURN#{events[0].turn_id}",
            "SEQ",
            expression="SET seq = :next, closed = :closed" if is_final else "SET seq = :next",
            condition=_COUNTER_UNCHANGED if last else "attribute_not_exists(pk)",
            values={"next": next_} | ({"last": last} if last else {}) | ({"closed": True} if is_final else {}),
        )

    def _put(self, event: Event) -> "TransactWriteItemTypeDef":
        fields = {"type": event.type, "at": event.at.isoformat(), "payload": event.payload}
        item: Item = {"pk": f"TURN#{event.turn_id}", "sk": f"{PREFIX}{event.seq:08d}"}
        return self.table.build_put(item | {"doc": json.dumps(fields, ensure_ascii=False)}, if_absent=True)

    def list_after(self, turn_id: TurnId, seq: int, limit: int) -> Sequence[Event]:
        """Return up to ``limit`` events after number ``seq``. Skip unreadable items: others stay readable."""
        query = Query(f"TURN#{turn_id}", PREFIX, limit, f"{PREFIX}{seq:08d}")
        while True:
            items, after = self.table.query(query)
            events = [event for item in items if (event := _event(turn_id, item))]
            if events or after is None:
                return events
            query = replace(query, after=after)  # all items of the page are unreadable


def _event(turn_id: TurnId, item: Item) -> Event | None:
    """Return the event in an item. Log a warning and return None if the item is not a readable event."""
    key = _SORT_KEY.fullmatch(str(item["sk"]))
    try:
        fields = json.loads(str(item["doc"]))
        return Event.model_validate({"seq": key and int(key[1]), "turn_id": turn_id, **fields})
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        reason = type(error).__name__  # not the text of the error, which may contain parts of the item
        logger.warning("skipped an unreadable event", extra={"turn_id": turn_id, "reason": reason})
        return None
