"""Read the events of a turn as clients see them: with the first event, which is not stored."""

from collections.abc import Sequence

from satchel.domain.events import FINAL_EVENTS, FIRST_NUMBER, Event, first_event
from satchel.domain.sessions import Turn
from satchel.ports.turns import Events


def list_events(events: Events, turn: Turn, after: int, limit: int) -> Sequence[Event]:
    """Return up to ``limit`` events after number ``after``.

    The first event is missing if the turn is imported, or if the events behind it were deleted. Earlier versions of
    Satchel stored it.
    """
    stored = events.list_after(turn.turn_id, after, limit)
    if after > 0 or turn.imported or (stored and stored[0].seq != FIRST_NUMBER + 1):
        return stored
    return [first_event(turn), *stored][:limit]


def is_fully_read(events: Events, turn: Turn, after: int) -> bool:
    """Return True if a client with the cursor ``after`` has received all events of an ended turn.

    A client's cursor may have any value. So it is not enough that no event follows: event number ``after`` must be the
    last event, or must have been deleted.
    """
    if after == 0:
        return False
    latest = list_events(events, turn, after - 1, 2)
    return not latest or (len(latest) == 1 and latest[0].type in FINAL_EVENTS)
