"""Send a turn's events to the WebSocket connections that subscribed to the turn (function push).

A DynamoDB stream triggers the function for each new event and each new subscription of a turn: in order, and never
concurrently for the same turn. Each run sends all events that a subscribed connection has not received yet.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from satchel.domain.connections import MAX_FAILURES, Subscription, WsMessage, batch_events, end_message
from satchel.domain.events import STREAMED_EVENTS
from satchel.domain.ids import TurnId
from satchel.domain.sessions import Turn
from satchel.ports.connections import ConnectionGone, Connections, ConnectionSender, DeliveryFailed, Subscriptions
from satchel.ports.turns import Events, Turns
from satchel.services.turns.turn_events import is_fully_read, list_events

logger = logging.getLogger(__name__)

_MAX_EVENTS = 200
_MAX_SUBSCRIPTIONS = 50  # limit per turn, because an untrusted runner can forge many subscriptions


@dataclass(frozen=True)
class PushEvents:
    """Push a turn's events. A repeated push is harmless: clients skip events whose ``seq`` number they already have."""

    subscriptions: Subscriptions
    connections: Connections
    turns: Turns
    events: Events
    sender: ConnectionSender

    def __call__(self, turn_id: TurnId) -> bool:
        """Send the turn's new events to all subscribers. Return False if a delivery failed and must be repeated.

        A failed delivery of the model's text need not be repeated, because the push of the next event includes it. To
        repeat it would delay the other turns of the stream's batch.
        """
        delivered = [self._deliver(each) for each in self.subscriptions.list_for_turn(turn_id, _MAX_SUBSCRIPTIONS)]
        return all(delivered)

    def _deliver(self, subscription: Subscription) -> bool:
        turn = self._permitted_turn(subscription)
        if turn is None:
            self.subscriptions.remove_if_unchanged(subscription)
            return True
        try:
            self._send(turn, subscription)
        except ConnectionGone:
            self._forget(subscription)
        except DeliveryFailed as reason:
            return self._count_failure(subscription, reason) or self._is_streamed(turn, subscription)
        except (ValueError, LookupError):  # an untrusted runner can write invalid events
            logger.exception("unreadable events", extra={"turn_id": turn.turn_id})
            self.subscriptions.remove_if_unchanged(subscription)
        return True

    def _permitted_turn(self, subscription: Subscription) -> Turn | None:
        """Return the turn if the connection's user owns it, else None: untrusted runners can forge subscriptions.

        Runners cannot write connections or turns, so the users in the records of connections and turns are reliable.
        """
        connection = self.connections.get(subscription.connection_id)
        turn = self.turns.get(subscription.session_id, subscription.turn_id)
        return turn if connection and turn and turn.user == connection.user else None

    def _send(self, turn: Turn, subscription: Subscription) -> None:
        for message in self._messages(turn, subscription.sent):
            self.sender.send(subscription.connection_id, message.text)
            if message.done:
                self.subscriptions.remove_if_unchanged(subscription)
            elif not self.subscriptions.advance(subscription, message.next):
                return

    def _messages(self, turn: Turn, after: int) -> Iterator[WsMessage]:
        while events := list_events(self.events, turn, after, _MAX_EVENTS):
            for message in batch_events(turn.turn_id, events):
                yield message
                after = message.next
                if message.done:
                    return
        if turn.has_ended and is_fully_read(self.events, turn, after):
            yield end_message(turn.turn_id, after)

    def _count_failure(self, subscription: Subscription, reason: DeliveryFailed) -> bool:
        """Count a failed delivery. After several, close the connection: the client reconnects and loses no events."""
        failures = subscription.failures + 1
        logger.warning("undelivered", extra={"turn_id": subscription.turn_id, "failures": failures, "why": str(reason)})
        if failures >= MAX_FAILURES:
            self.sender.close(subscription.connection_id)
            self._forget(subscription)
            return True
        self.subscriptions.save_failures(subscription, failures)
        return False

    def _is_streamed(self, turn: Turn, subscription: Subscription) -> bool:
        """Return True if the newest event is a piece of the model's text, because another event follows soon."""
        events = self.events.list_after(turn.turn_id, subscription.sent, _MAX_EVENTS)
        return not turn.has_ended and bool(events) and events[-1].type in STREAMED_EVENTS

    def _forget(self, subscription: Subscription) -> None:
        self.connections.remove(subscription.connection_id)
        self.subscriptions.remove_if_unchanged(subscription)
