"""Stores the events of turns as items ``TURN#{turn_id} / EVENT#{seq}``.

The same partition holds the counter ``SEQ``, and an item ``ONCE#{key}`` for each event with a deduplication key. One
transaction increments the counter and writes the event, so sequence numbers have no gaps and a reader never misses an
event. The last event of a turn closes the counter, so no event can follow it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, tries
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.errors import Unavailable
from satchel.domain.events import FINAL_EVENTS, Event, NewEvent
from satchel.domain.ids import TurnId
from satchel.ports.system import Clock

PREFIX = "EVENT#"
_MAX_TRIES = 60
_DEDUPE_POSITION = 2  # index of the deduplication key's write in the transaction that stores an event
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
        pk = f"TURN#{turn_id}"
        for _ in tries(_MAX_TRIES):
            try:
                numbered = self._number(turn_id, event)
                if numbered is None:
                    return None
                self._write(pk, numbered, event.dedupe_key)
            except WriteConflict:
                continue
            except ConditionFailed as error:
                if _DEDUPE_POSITION in error.positions:
                    return None
            except (ClientError, BotoCoreError) as error:
                raise Unavailable("The event could not be written.") from error
            else:
                return numbered
        raise Unavailable("Too many concurrent writers of events of one turn.")

    def _number(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        """Return the event with the turn's next sequence number, or None if the last event is stored."""
        counter = self.table.get(f"TURN#{turn_id}", "SEQ")
        if counter and "closed" in counter:
            return None
        seq = (int(counter["seq"]) if counter else 0) + 1
        return Event(seq=seq, turn_id=turn_id, type=event.type, at=self.clock.now(), payload=event.payload)

    def _write(self, pk: str, event: Event, dedupe_key: str | None) -> None:
        fields = {"type": event.type, "at": event.at.isoformat(), "payload": event.payload}
        body = json.dumps(fields, ensure_ascii=False)
        writes = [
            self.table.build_update(
                pk,
                "SEQ",
                expression="SET seq = :next, closed = :closed" if event.type in FINAL_EVENTS else "SET seq = :next",
                condition=_COUNTER_UNCHANGED if event.seq > 1 else "attribute_not_exists(pk)",
                values={"next": event.seq}
                | ({"last": event.seq - 1} if event.seq > 1 else {})
                | ({"closed": True} if event.type in FINAL_EVENTS else {}),
            ),
            self.table.build_put({"pk": pk, "sk": f"{PREFIX}{event.seq:08d}", "doc": body}, if_absent=True),
        ]
        if dedupe_key:
            writes.append(self.table.build_put({"pk": pk, "sk": f"ONCE#{dedupe_key}"}, if_absent=True))
        self.table.transact(writes)

    def list_after(self, turn_id: TurnId, seq: int, limit: int) -> Sequence[Event]:
        items, _ = self.table.query(Query(f"TURN#{turn_id}", PREFIX, limit, f"{PREFIX}{seq:08d}"))
        return [_event(turn_id, item) for item in items]


def _event(turn_id: TurnId, item: Item) -> Event:
    seq = int(str(item["sk"]).removeprefix(PREFIX))
    return Event.model_validate({"seq": seq, "turn_id": turn_id, **json.loads(str(item["doc"]))})
