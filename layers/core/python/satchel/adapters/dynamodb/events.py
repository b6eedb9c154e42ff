"""Stores the events of turns as items ``TURN#{turn_id} / EVENT#{seq}``.

There is no counter. A writer stores event ``n + 1`` only if the item does not exist yet, and only if it knows that
event ``n`` is stored and is not the last event of the turn. So numbers have no gaps, no event follows the last one, and
a reader never misses an event: an event with a smaller number is always stored earlier. A writer knows event ``n``
because it wrote or read it. Of several writers that know the same event, one succeeds, and the others read the newest
event again. Stored events begin with number 2, because readers build event 1 from the turn (``first_event``).

The same partition holds an item ``ONCE#{key}`` for each event with a deduplication key. Runners cannot write this
partition: ``runner_events`` stores what they report.
"""

import json
import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from secrets import token_hex
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, tries
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.errors import Unavailable
from satchel.domain.events import FINAL_EVENTS, FIRST_NUMBER, Event, NewEvent
from satchel.domain.ids import TurnId
from satchel.ports.system import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

logger = logging.getLogger(__name__)

PREFIX = "EVENT#"
_SORT_KEY = re.compile(rf"{PREFIX}([0-9]{{8}})")
_MAX_TRIES = 60
_MAX_KNOWN_TURNS = 2_000
_CLOSED = -1  # in place of the last event's number: no event may follow it


class LastNumbers:
    """The number of the newest event of each turn that this process wrote or read."""

    def __init__(self) -> None:
        self._numbers: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, turn_id: TurnId) -> int | None:
        """Return the number, or None if this process does not know it."""
        with self._lock:
            return self._numbers.get(turn_id)

    def put(self, turn_id: TurnId, number: int) -> None:
        """Remember the number of an event that is stored."""
        with self._lock:
            self._numbers[turn_id] = number
            self._numbers.move_to_end(turn_id)
            if len(self._numbers) > _MAX_KNOWN_TURNS:
                self._numbers.popitem(last=False)

    def clear(self) -> None:
        """Forget all numbers, as a new process."""
        with self._lock:
            self._numbers.clear()

    def forget(self, turn_id: TurnId) -> None:
        """Forget a number, because another writer may have stored more events."""
        with self._lock:
            self._numbers.pop(turn_id, None)


LAST_NUMBERS = LastNumbers()


@dataclass(frozen=True)
class EventLog:
    """Append events to turns. Other adapters add their own writes to the transaction of an event."""

    table: Table

    def append(self, turn_id: TurnId, event: NewEvent, at: datetime) -> Event | None:
        """Write one event. Return None if its ``dedupe_key`` is already stored, or if the turn's last event is stored.

        Raise Unavailable if the write fails.
        """
        if event.dedupe_key is None:
            return self._append_alone(turn_id, event, at)
        once: Item = {"pk": f"TURN#{turn_id}", "sk": f"ONCE#{event.dedupe_key}"}
        try:
            written = self.append_with(turn_id, [event], [self.table.build_put(once, if_absent=True)], at)
        except ConditionFailed:
            return None
        return next(iter(written), None)

    def append_next(self, turn_id: TurnId, event: NewEvent, at: datetime) -> Event | None:
        """Write one event behind the last known one. Return None if another event is stored there. Raise Unavailable.

        Return None also if the turn's last event is stored.
        """
        return self._append_alone(turn_id, event, at, only_next=True)

    def append_with(
        self, turn_id: TurnId, events: Sequence[NewEvent], writes: Sequence["TransactWriteItemTypeDef"], at: datetime
    ) -> Sequence[Event]:
        """Append events and run ``writes`` in one transaction. Return the events. Raise Unavailable if it fails.

        Return no events, and write nothing, if the turn's last event is stored. Raise ConditionFailed if a condition of
        ``writes`` is false.
        """
        for _ in tries(_MAX_TRIES):
            try:
                numbered = self._number(turn_id, events, at)
                if not numbered:
                    return []
                self.table.transact([*(self.table.build_put(_item(e), if_absent=True) for e in numbered), *writes])
            except WriteConflict:
                LAST_NUMBERS.forget(turn_id)
            except ConditionFailed as error:
                LAST_NUMBERS.forget(turn_id)
                failed = [position - len(events) for position in error.positions if position >= len(events)]
                if failed:
                    raise ConditionFailed(failed) from error
            except (ClientError, BotoCoreError) as error:
                LAST_NUMBERS.forget(turn_id)
                raise Unavailable("The event could not be written.") from error
            else:
                _remember(numbered[-1])
                return numbered
        raise Unavailable("Too many concurrent writers of events of one turn.")

    def read_last_number(self, turn_id: TurnId) -> None:
        """Read the number of the newest event, so that the next event of this process needs no read."""
        for item in self.table.iterate(Query(f"TURN#{turn_id}", PREFIX, limit=1, newest_first=True)):
            if key := _SORT_KEY.fullmatch(str(item["sk"])):  # other items are no events
                newest = parse_event(turn_id, item)
                is_last = newest is not None and newest.type in FINAL_EVENTS
                LAST_NUMBERS.put(turn_id, _CLOSED if is_last else int(key[1]))
                return
        LAST_NUMBERS.put(turn_id, FIRST_NUMBER)

    def expect_first(self, turn_id: TurnId) -> None:
        """Assume that the first event, which is not stored, is the newest, unless this process knows the newest.

        If it is not, the next event of this process reads the newest number after its first try.
        """
        if LAST_NUMBERS.get(turn_id) is None:
            LAST_NUMBERS.put(turn_id, FIRST_NUMBER)

    def _append_alone(self, turn_id: TurnId, event: NewEvent, at: datetime, *, only_next: bool = False) -> Event | None:
        """Write one event without a transaction, which would cost twice as many write units.

        With ``only_next``, return None if another writer was faster. Otherwise try again behind its event.
        """
        for _ in tries(_MAX_TRIES):
            try:
                numbered = self._number(turn_id, [event], at)
                if not numbered:
                    return None
                # The mark tells a repeated write of boto3, whose first response was lost, from another writer's event.
                item = _item(numbered[0]) | {"mark": token_hex(4)}
                existing = self.table.put_or_get(item)
            except WriteConflict:
                LAST_NUMBERS.forget(turn_id)
            except (ClientError, BotoCoreError) as error:
                LAST_NUMBERS.forget(turn_id)
                raise Unavailable("The event could not be written.") from error
            else:
                if existing is None or existing == item:
                    _remember(numbered[0])
                    return numbered[0]
                LAST_NUMBERS.forget(turn_id)
                if only_next:
                    return None
        raise Unavailable("Too many concurrent writers of events of one turn.")

    def _number(self, turn_id: TurnId, events: Sequence[NewEvent], at: datetime) -> Sequence[Event]:
        """Return the events with the turn's next sequence numbers, or none if the last event is stored."""
        last = LAST_NUMBERS.get(turn_id)
        if last is None:
            self.read_last_number(turn_id)
            last = LAST_NUMBERS.get(turn_id) or FIRST_NUMBER
        if last == _CLOSED:
            return []
        return [
            Event(seq=seq, turn_id=turn_id, type=event.type, at=at, payload=event.payload)
            for seq, event in enumerate(events, start=last + 1)
        ]


def _remember(event: Event) -> None:
    LAST_NUMBERS.put(event.turn_id, _CLOSED if event.type in FINAL_EVENTS else event.seq)


def only_event_item(turn_id: TurnId, event: NewEvent, at: datetime) -> Item:
    """Return the item of the only event of an imported turn."""
    return _item(Event(seq=1, turn_id=turn_id, type=event.type, at=at, payload=event.payload))


def _item(event: Event) -> Item:
    fields = {"type": event.type, "at": event.at.isoformat(), "payload": event.payload}
    return {
        "pk": f"TURN#{event.turn_id}",
        "sk": f"{PREFIX}{event.seq:08d}",
        "doc": json.dumps(fields, ensure_ascii=False),
    }


@dataclass(frozen=True)
class DynamoEvents:
    """Store the events of turns. Implements ``ports.turns.Events``."""

    table: Table
    clock: Clock

    def append(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        return EventLog(self.table).append(turn_id, event, self.clock.now())

    def append_next(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        return EventLog(self.table).append_next(turn_id, event, self.clock.now())

    def read_last_number(self, turn_id: TurnId) -> None:
        EventLog(self.table).read_last_number(turn_id)

    def expect_first(self, turn_id: TurnId) -> None:
        EventLog(self.table).expect_first(turn_id)

    def list_after(self, turn_id: TurnId, seq: int, limit: int) -> Sequence[Event]:
        """Return up to ``limit`` events after number ``seq``. Skip unreadable items: others stay readable."""
        query = Query(f"TURN#{turn_id}", PREFIX, limit, f"{PREFIX}{seq:08d}")
        while True:
            items, after = self.table.query(query)
            events = [event for item in items if (event := parse_event(turn_id, item))]
            if events or after is None:
                return events
            query = replace(query, after=after)  # all items of the page are unreadable


def parse_event(turn_id: TurnId, item: Item) -> Event | None:
    """Return the event in an item. Log a warning and return None if the item is not a readable event."""
    key = _SORT_KEY.fullmatch(str(item["sk"]))
    try:
        fields = json.loads(str(item["doc"]))
        return Event.model_validate({"seq": key and int(key[1]), "turn_id": turn_id, **fields})
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        reason = type(error).__name__  # not the text of the error, which may contain parts of the item
        logger.warning("skipped an unreadable event", extra={"turn_id": turn_id, "reason": reason})
        return None
