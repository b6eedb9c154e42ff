"""Find a turn for a person; somebody else's is not found, in the very words for one that is not there."""

from satchel.domain.errors import SessionNotFound, TurnNotFound
from satchel.domain.sessions import Turn
from satchel.ports.catalog import Sessions, Turns


def find_turn(sessions: Sessions, turns: Turns, user: str, session_id: str, turn_id: str) -> Turn:
    """Return the turn. Raises SessionNotFound, TurnNotFound."""
    if sessions.get(user, session_id) is None:
        raise SessionNotFound(session_id)
    turn = turns.get(session_id, turn_id)
    if turn is None or turn.user != user:
        raise TurnNotFound(turn_id)
    return turn
