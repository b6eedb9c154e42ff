"""Events: ``TURN#{tid} / EVENT#{seq}``, the counter ``… / SEQ``, and ``… / ONCE#{what}`` for those that come once.

The number is taken and the event written in one transaction: a number that a reader has passed never appears later.
The last event of a turn closes the counter, so that whoever comes late has no word any more.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, pause
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.errors import Unavailable
from satchel.domain.events import ENDS, Event, NewEvent
from satchel.domain.ids import TurnId
from satchel.ports.system import Clock

PREFIX = "EVENT#"
_TRIES = 60
_OPEN = "seq = :last AND attribute_not_exists(closed)"


@dataclass(frozen=True)
class DynamoEvents:
    """Implements ``ports.events.Events``. Writers that meet try again: the counter's condition lets one through."""

    table: Table
    clock: Clock

    def append(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        """Write one event and return it; None when its ``once`` or the turn's last one was written before."""
        pk = f"TURN#{turn_id}"
        for _ in range(_TRIES):
            try:
                written = self._next(turn_id, event)
                if written is None:
                    return None
                self._write(pk, written, event.once)
            except WriteConflict:
                pass
            except ConditionFailed as refused:
                if 2 in refused.at:  # noqa: PLR2004  (the third write is the once-marker)
                    return None
            except (ClientError, BotoCoreError) as error:
                raise Unavailable("The event could not be written.") from error
            else:
                return written
            pause()
        raise Unavailable("Too many writers at one turn's events.")

    def _next(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        counter = self.table.get(f"TURN#{turn_id}", "SEQ")
        if counter and "closed" in counter:
            return None
        seq = (int(counter["seq"]) if counter else 0) + 1
        return Event(seq=seq, turn_id=turn_id, type=event.type, at=self.clock.now(), payload=event.payload)

    def _write(self, pk: str, event: Event, once: str | None) -> None:
        body = json.dumps(
            {"type": event.type, "at": event.at.isoformat(), "payload": event.payload},
            ensure_ascii=False,
        )
        writes = [
            self.table.writes_update(
                pk,
                "SEQ",
                expression="SET seq = :next, closed = :closed" if event.type in ENDS else "SET seq = :next",
                condition=_OPEN if event.seq > 1 else "attribute_not_exists(pk)",
                values={"next": event.seq}
                | ({"last": event.seq - 1} if event.seq > 1 else {})
                | ({"closed": True} if event.type in ENDS else {}),
                names={},
            ),
            self.table.writes_put({"pk": pk, "sk": f"{PREFIX}{event.seq:08d}", "doc": body}, absent=True),
        ]
        if once:
            writes.append(self.table.writes_put({"pk": pk, "sk": f"ONCE#{once}"}, absent=True))
        self.table.transact(writes)

    def after(self, turn_id: TurnId, seq: int, limit: int) -> Sequence[Event]:
        """Return up to ``limit`` events whose seq is greater, in order."""
        items, _ = self.table.query(Query(f"TURN#{turn_id}", PREFIX, limit, f"{PREFIX}{seq:08d}"))
        return [_event(turn_id, item) for item in items]


def _event(turn_id: TurnId, item: Item) -> Event:
    seq = int(str(item["sk"]).removeprefix(PREFIX))
    return Event.model_validate({"seq": seq, "turn_id": turn_id, **json.loads(str(item["doc"]))})
