"""Follow the events of a turn over a connection, from a cursor on (function sockets)."""

from collections.abc import Callable
from dataclasses import dataclass

from satchel.domain.errors import NotAllowed
from satchel.domain.sockets import CONNECTION_LIFE, Subscription
from satchel.ports.catalog import Sessions, Turns
from satchel.ports.clock import Clock
from satchel.ports.sockets import Connections, Subscriptions
from satchel.services.turns.find_turn import find_turn
from satchel.services.turns.settle_turn import SettleTurn

_MARK_BYTES = 8


@dataclass(frozen=True)
class Subscribe:
    """Only writes the subscription: what is there already comes by the stream, in line with what is still to come."""

    connections: Connections
    sessions: Sessions
    turns: Turns
    subscriptions: Subscriptions
    settle: SettleTurn
    clock: Clock
    entropy: Callable[[int], bytes]

    def __call__(self, connection_id: str, session_id: str, turn_id: str, after: int) -> None:
        """Have the events behind ``after`` sent. Raises NotAllowed, SessionNotFound, TurnNotFound."""
        connection = self.connections.get(connection_id)
        if connection is None:
            raise NotAllowed("This connection is not known any more; open another one.")
        turn = find_turn(self.sessions, self.turns, connection.user, session_id, turn_id)
        self.settle.tell_end(self.settle(turn))
        self.subscriptions.add(
            Subscription(
                connection_id=connection_id,
                session_id=session_id,
                turn_id=turn_id,
                sent=after,
                mark=self.entropy(_MARK_BYTES).hex(),
                expires_at=self.clock.now() + CONNECTION_LIFE,
            )
        )


@dataclass(frozen=True)
class Unsubscribe:
    """Safe to repeat."""

    subscriptions: Subscriptions

    def __call__(self, connection_id: str, turn_id: str) -> None:
        """Send no more of a turn; what is under way may still arrive."""
        self.subscriptions.remove(turn_id, connection_id)
