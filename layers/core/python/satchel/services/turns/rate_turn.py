"""Store what a user thinks of an answer."""

from dataclasses import dataclass

from satchel.domain.errors import TurnNotFound
from satchel.domain.ids import SessionId, TurnId
from satchel.domain.sessions import Rating
from satchel.domain.users import Identity
from satchel.ports.sessions import Sessions
from satchel.ports.turns import Turns
from satchel.services.turns.read_turn import find_turn


@dataclass(frozen=True)
class RateTurn:
    """Rate the answer of a user's own turn, or remove the rating."""

    sessions: Sessions
    turns: Turns

    def __call__(self, who: Identity, session_id: SessionId, turn_id: TurnId, rating: Rating | None) -> None:
        """Store the rating with the turn. Raise SessionNotFound or TurnNotFound."""
        turn = find_turn(self.sessions, self.turns, who.name, session_id, turn_id)
        if not self.turns.rate(turn.session_id, turn.turn_id, rating):
            raise TurnNotFound(turn_id)
