"""The branches of a conversation: an edited message follows the same turn as the original. No I/O.

A turn names the turn that it follows (``after``). Without one, it follows the turn before it in the session, so a
conversation without branches stores nothing.
"""

from collections.abc import Mapping
from typing import Literal

from satchel.domain.ids import TurnId

START: Literal["start"] = "start"
"""The value of ``after`` of a turn that begins the conversation anew."""

After = TurnId | Literal["start"] | None


def turns_of_branch(after: Mapping[TurnId, After], last: TurnId) -> set[TurnId]:
    """Return the turns from the beginning of the conversation to ``last``.

    ``after`` has the stored values of all turns up to ``last``, oldest first.
    """
    followed: dict[TurnId, TurnId | None] = {}
    before: TurnId | None = None
    for turn_id, named in after.items():
        followed[turn_id] = before if named is None else None if named == START else TurnId(named)
        before = turn_id
    branch: set[TurnId] = set()
    turn: TurnId | None = last
    while turn is not None and turn not in branch:
        branch.add(turn)
        turn = followed.get(turn)
    return branch
