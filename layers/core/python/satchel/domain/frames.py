"""What goes over a connection: events in messages under a size, the same events as ``GET …/events`` answers."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from satchel.domain.events import ENDS, Event

MOST_BYTES = 120_000
"""Of one message; API Gateway takes 128 KB. It cuts messages into its frames of 32 KB, and counts those, by itself."""

_ENVELOPE_BYTES = 200


class Frame(NamedTuple):
    """One message; ``next`` is the cursor behind it, and after ``done`` nothing follows."""

    text: str
    next: int
    done: bool


def frames(turn_id: str, events: Sequence[Event]) -> Iterator[Frame]:
    """Give events, in order, in as few messages as hold them, up to the turn's last event."""
    waiting: list[dict[str, Any]] = []
    size = _ENVELOPE_BYTES
    for event in events:
        shown, more = _fitting(event)
        if waiting and size + more > MOST_BYTES:
            yield _frame(turn_id, waiting, done=False)
            waiting, size = [], _ENVELOPE_BYTES
        waiting.append(shown)
        size += more
        if event.type in ENDS:
            yield _frame(turn_id, waiting, done=True)
            return
    if waiting:
        yield _frame(turn_id, waiting, done=False)


def end_frame(turn_id: str, after: int) -> Frame:
    """Return the message for one who has seen all of a turn that has ended."""
    return Frame(_text(turn_id, [], after, done=True), after, done=True)


def _fitting(event: Event) -> tuple[dict[str, Any], int]:
    """Return an event with its size in bytes, comma included; of one that no message holds, where it can be read."""
    shown = event.shown()
    size = len(_json(shown).encode()) + 1
    if size + _ENVELOPE_BYTES <= MOST_BYTES:
        return shown, size
    reference = event.model_copy(update={"payload": {"truncated": True}}).shown()
    return reference, len(_json(reference).encode()) + 1


def _frame(turn_id: str, shown: list[dict[str, Any]], *, done: bool) -> Frame:
    last: int = shown[-1]["seq"]
    return Frame(_text(turn_id, shown, last, done=done), last, done)


def _text(turn_id: str, shown: list[dict[str, Any]], last: int, *, done: bool) -> str:
    return _json({"type": "events", "turn_id": turn_id, "events": shown, "next": last, "done": done})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
