"""Send what is new in a turn to those who follow it (function push, called by the table's stream).

One path for what was there before and for what comes: the stream tells of events and of subscriptions in the order of
their writing, one turn's never at the same time, and each time everything behind a subscription's cursor is sent.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from satchel.domain.connections import MAX_FAILURES, Subscription, WsMessage, end_frame, ws_messages
from satchel.domain.ids import TurnId
from satchel.domain.sessions import Turn
from satchel.ports.connections import ConnectionGone, Connections, ConnectionSender, Subscriptions, Undelivered
from satchel.ports.turns import Events, Turns
from satchel.services.turns.read_turn import is_fully_read

logger = logging.getLogger(__name__)

_MAX_EVENTS = 200
_MAX_SUBSCRIPTIONS = 50  # to one turn; a runner may write some of its own, which must not take all of the time


@dataclass(frozen=True)
class PushEvents:
    """Safe to repeat: a cursor moves with each message. Who got a message twice knows it by the events' ``seq``."""

    subscriptions: Subscriptions
    connections: Connections
    turns: Turns
    events: Events
    sender: ConnectionSender

    def __call__(self, turn_id: TurnId) -> bool:
        """Serve all who follow this turn; False when somebody could not be reached and it should be tried again."""
        served = [self._serve(each) for each in self.subscriptions.of_turn(turn_id, _MAX_SUBSCRIPTIONS)]
        return all(served)

    def _serve(self, subscription: Subscription) -> bool:
        turn = self._permitted(subscription)
        if turn is None:
            self.subscriptions.drop(subscription)
            return True
        try:
            self._send(turn, subscription)
        except ConnectionGone:
            self._give_up(subscription)
        except Undelivered as reason:
            return self._failed(subscription, reason)
        except (ValueError, LookupError):  # a runner may write its own turn's events, and these are none
            logger.exception("unreadable events", extra={"turn_id": turn.turn_id})
            self.subscriptions.drop(subscription)
        return True

    def _permitted(self, subscription: Subscription) -> Turn | None:
        """Return the turn if it is that of the connection's owner.

        It is asked here again: a runner may write into its turn's part of the table, so also what looks like a
        subscription; the connections and the turns themselves it cannot write.
        """
        connection = self.connections.get(subscription.connection_id)
        turn = self.turns.get(subscription.session_id, subscription.turn_id)
        return turn if connection and turn and turn.user == connection.user else None

    def _send(self, turn: Turn, subscription: Subscription) -> None:
        for frame in self._frames(turn, subscription.sent):
            self.sender.post(subscription.connection_id, frame.text)
            if frame.done:
                self.subscriptions.drop(subscription)
            elif not self.subscriptions.advance(subscription, frame.next):
                return

    def _frames(self, turn: Turn, after: int) -> Iterator[WsMessage]:
        while events := self.events.after(turn.turn_id, after, _MAX_EVENTS):
            for frame in ws_messages(turn.turn_id, events):
                yield frame
                after = frame.next
                if frame.done:
                    return
        if turn.ended and is_fully_read(self.events, turn.turn_id, after):
            yield end_frame(turn.turn_id, after)

    def _failed(self, subscription: Subscription, reason: Undelivered) -> bool:
        """Count it, and after a few times end the connection: its owner comes back with a cursor and misses nothing."""
        failures = subscription.failures + 1
        logger.warning("undelivered", extra={"turn_id": subscription.turn_id, "failures": failures, "why": str(reason)})
        if failures >= MAX_FAILURES:
            self.sender.close(subscription.connection_id)
            self._give_up(subscription)
            return True
        self.subscriptions.failed(subscription, failures)
        return False

    def _give_up(self, subscription: Subscription) -> None:
        self.connections.remove(subscription.connection_id)
        self.subscriptions.drop(subscription)
