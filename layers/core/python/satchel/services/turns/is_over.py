"""Whether somebody has seen all of an ended turn."""

from satchel.domain.events import ENDS
from satchel.ports.events import Events


def is_over(events: Events, turn_id: str, after: int) -> bool:
    """Tell whether nothing follows this cursor in a turn that has ended; its last event is written a moment after."""
    if after == 0:
        return False
    known = events.after(turn_id, after - 1, 2)
    return not known or (len(known) == 1 and known[0].type in ENDS)
