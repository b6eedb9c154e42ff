"""Events in memory."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import BaseModel, TypeAdapter

from satchel.domain.events import ENDS, Event, NewEvent
from satchel.domain.ids import TurnId
from satchel.entrypoints.event_schemas import ClientEvent
from satchel.ports.system import Clock

_TOLD: TypeAdapter[BaseModel] = TypeAdapter(ClientEvent)


def assert_as_described(event: Event) -> None:
    """Fail where an event lacks something that clients are told to expect, or says something that they are not."""
    said = event.shown()
    read = _TOLD.validate_python(said).model_dump(mode="json", exclude_unset=True)
    assert read | {"at": said["at"]} == said


def streamed(events: Sequence[Event]) -> dict[int, str]:
    """Put answers together as docs/events.md says: of each round, the texts of its highest attempt."""
    texts: dict[int, dict[int, str]] = {}
    for event in events:
        if event.type == "token_stream":
            of_round = texts.setdefault(event.payload["round"], {})
            attempt = event.payload["attempt"]
            of_round[attempt] = of_round.get(attempt, "") + event.payload["text"]
    return {number: attempts[max(attempts)] for number, attempts in texts.items()}


class FakeEvents:
    """Implements ``ports.events.Events``; keeps JSON, as the table does, and refuses what no reader could take.

    ``on_append`` looks on while an event is written.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._turns: dict[str, list[str]] = {}
        self._once: set[tuple[str, str]] = set()
        self.on_append: Callable[[], None] = lambda: None

    def append(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        self.on_append()
        if event.once:
            if (turn_id, event.once) in self._once:
                return None
            self._once.add((turn_id, event.once))
        kept = self._turns.setdefault(turn_id, [])
        if kept and Event.model_validate_json(kept[-1]).type in ENDS:
            return None
        json.dumps(event.payload, allow_nan=False).encode()
        written = Event(
            seq=len(kept) + 1, turn_id=turn_id, type=event.type, at=self._clock.now(), payload=event.payload
        )
        assert_as_described(written)
        kept.append(written.model_dump_json())
        return written

    def after(self, turn_id: TurnId, seq: int, limit: int) -> Sequence[Event]:
        kept = self._turns.get(turn_id, [])
        return [Event.model_validate_json(text) for text in kept[seq : seq + limit] if text]

    def forget(self, turn_id: TurnId) -> int:
        """Delete the events of a turn but the last, and not what was told once."""
        *gone, last = self._turns.get(turn_id) or [""]
        self._turns[turn_id] = ["" for _ in gone] + [last]
        return len([text for text in gone if text])

    def told(self, turn_id: TurnId, *types: str) -> list[tuple[str, dict[str, Any]]]:
        """Return type and payload of what was written, of these types or of all."""
        return [(e.type, e.payload) for e in self.after(turn_id, 0, 10_000) if not types or e.type in types]

    def streamed(self, turn_id: TurnId) -> dict[int, str]:
        """Return what was told of the answer of each round, as a client puts it together."""
        return streamed(self.after(turn_id, 0, 10_000))

    def text(self, turn_id: TurnId) -> str:
        """Return all events of a turn as they would travel."""
        return "\n".join(self._turns.get(turn_id, []))
