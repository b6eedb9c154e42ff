"""A client that follows turns over WebSocket connections and, if one is lost, continues with its cursor."""

import json
import queue
import random
from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError

from local.emulator.aws.lambda_host import InvocationResult
from local.emulator.aws.moto_patches import websocket_connections
from local.emulator.functions import invoke_websocket_function
from satchel.bootstrap.functions import use_cases
from satchel.domain.events import Event
from satchel.domain.ids import ConnectionId
from satchel.domain.sessions import Turn
from tests.integration.turn.turn_driver import UserSession

Json = dict[str, Any]

_EVENT_TIMEOUT = 240  # seconds until the next event of a turn
_MAX_TRIES = 5
_CUT_PROBABILITY = 0.3  # of the connections are cut after a random time
_MAX_LIFETIME = 0.5  # seconds until such a connection is cut


class _FakeConnection:
    """Implements ``websocket_connections.Connection``."""

    def __init__(self) -> None:
        self._messages: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.closed = False

    def send(self, text: str) -> bool:
        self._messages.put(text)
        return True

    def close(self) -> None:
        self._messages.put(None)

    def next_message(self, seconds: float) -> Json | None:
        """Return the next message, or None after the timeout or if the connection is closed."""
        try:
            text = self._messages.get(timeout=seconds)
        except queue.Empty:
            return None
        self.closed = text is None
        return None if text is None else json.loads(text)


class EventFollower:
    """Receives all events of turns. ``cuts`` is the number of lost connections.

    A message may arrive twice; the ``seq`` of its events shows it.
    """

    def __init__(self, session: UserSession, seed: str) -> None:
        self._session = session
        self._random = random.Random(seed)  # noqa: S311  (not for security)
        self._opened = 0
        self._connection_id = ""
        self._open_connection: _FakeConnection | None = None
        self._on_event: Callable[[Json], None] = _ignore
        self.cuts = 0

    def follow(self, turn: Turn, on_event: Callable[[Json], None]) -> list[Json]:
        """Return all events of a turn in the order of their arrival. Raises AssertionError if one is missing.

        Call ``on_event`` with each of them when it arrives.
        """
        received: list[Json] = []
        self._on_event = on_event
        while not self._receive(turn, received):
            self.cuts += 1
        return received

    def _receive(self, turn: Turn, received: list[Json]) -> bool:
        """Receive events over one connection. Return True at the end of the turn."""
        connection = self._subscribe(turn, len(received))
        lifetime = (
            self._random.uniform(0, _MAX_LIFETIME) if self._random.random() < _CUT_PROBABILITY else _EVENT_TIMEOUT
        )
        while (message := connection.next_message(lifetime)) is not None:
            if message["turn_id"] == turn.turn_id:
                self._append_new(message["events"], received)
                if message["done"]:
                    return True
        assert lifetime < _EVENT_TIMEOUT or connection.closed, "no event arrived in time"
        self.disconnect()
        return False

    def _append_new(self, events: list[Json], received: list[Json]) -> None:
        for event in events:
            if event["seq"] > len(received):
                assert event["seq"] == len(received) + 1, "an event is missing"
                received.append(event)
                self._on_event(event)

    def disconnect(self) -> None:
        """Close the connection, and ignore a failure of the function."""
        websocket_connections.unregister(ConnectionId(self._connection_id))
        self._invoke("$disconnect")
        self._open_connection = None

    def _subscribe(self, turn: Turn, after: int) -> _FakeConnection:
        cursor = {"session_id": turn.session_id, "turn_id": turn.turn_id, "after": after}
        for _ in range(_MAX_TRIES):
            connection = self._open_connection or self._connect()
            result = self._invoke("$default", body=json.dumps({"action": "subscribe", **cursor}))
            if result.failed:
                continue
            if json.loads(json.loads(result.payload)["body"])["type"] == "subscribed":
                return connection
            self._open_connection = None  # the server closed it after failed deliveries
        raise AssertionError("the turn cannot be followed")

    def _connect(self) -> _FakeConnection:
        self._opened += 1
        for attempt in range(_MAX_TRIES):
            self._connection_id = f"{self._session.session_id}-{self._opened}-{attempt}"
            ticket = use_cases().issue_ticket(self._session.user).ticket
            result = self._invoke("$connect", queryStringParameters={"ticket": ticket})
            if not result.failed and json.loads(result.payload)["statusCode"] == 200:
                self._open_connection = _FakeConnection()
                websocket_connections.register(ConnectionId(self._connection_id), self._open_connection)
                return self._open_connection
        raise AssertionError("no connection can be opened")

    def _invoke(self, route: str, **fields: object) -> InvocationResult:
        return invoke_websocket_function(
            {"requestContext": {"routeKey": route, "connectionId": self._connection_id}, **fields}
        )


def _ignore(_event: Json) -> None:
    """Ignore an event."""


def connection_name(connection_id: str) -> str:
    """Return the id of a connection without the number of the attempt to open it."""
    return connection_id.rpartition("-")[0]


def as_received(events: list[Event]) -> list[Json]:
    """Return stored events in the form in which clients receive them."""
    return [json.loads(json.dumps(event.to_json())) for event in events]


def retry(request: Callable[[], Any]) -> Any:  # noqa: ANN401  (any result)
    """Repeat a failed request, as clients do. Return its result."""
    for _ in range(_MAX_TRIES):
        try:
            return request()
        except BotoCoreError:
            continue
    raise AssertionError("the request failed each time")
