"""A person's page: it follows turns over a connection, and whenever that is lost it comes back with its cursor."""

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
from satchel.domain.sessions import Turn
from tests.integration.turn.turns import Asker

Json = dict[str, Any]

_PATIENCE = 60  # seconds for the next word of a turn
_MAX_TRIES = 5
_CUT = 0.3  # of the connections are lost after a while
_LONGEST = 0.5  # seconds that such a one lives


class _Line:
    """Implements ``websocket_connections.Connection``."""

    def __init__(self) -> None:
        self._messages: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.closed = False

    def send(self, text: str) -> bool:
        self._messages.put(text)
        return True

    def close(self) -> None:
        self._messages.put(None)

    def hear(self, seconds: float) -> Json | None:
        """Return the next message; None where none comes in time, or none will."""
        try:
            text = self._messages.get(timeout=seconds)
        except queue.Empty:
            return None
        self.closed = text is None
        return None if text is None else json.loads(text)


class Page:
    """``cuts`` counts how often the connection was lost; a message that comes again says so by its events' ``seq``."""

    def __init__(self, asker: Asker, seed: str) -> None:
        self._asker = asker
        self._dice = random.Random(seed)  # noqa: S311  (it keeps no secret)
        self._opened = 0
        self._connection = ""
        self._line: _Line | None = None
        self.cuts = 0

    def follow(self, turn: Turn) -> list[Json]:
        """Return all events of a turn in the order in which they came, each once. Raises AssertionError for a gap."""
        heard: list[Json] = []
        while not self._listen(turn, heard):
            self.cuts += 1
        return heard

    def _listen(self, turn: Turn, heard: list[Json]) -> bool:
        """Listen over one connection, from the cursor on; tell whether that was the end of the turn."""
        line = self._subscribed(turn, len(heard))
        life = self._dice.uniform(0, _LONGEST) if self._dice.random() < _CUT else _PATIENCE
        while (message := line.hear(life)) is not None:
            if message["turn_id"] == turn.turn_id:
                self._take(message["events"], heard)
                if message["done"]:
                    return True
        assert life < _PATIENCE or line.closed, "nothing came any more"
        self.hang_up()
        return False

    def _take(self, events: list[Json], heard: list[Json]) -> None:
        for event in events:
            if event["seq"] > len(heard):
                assert event["seq"] == len(heard) + 1, "an event is missing"
                heard.append(event)

    def hang_up(self) -> None:
        """Lose the connection. Nobody waits for what the function makes of it."""
        websocket_connections.unregister(self._connection)
        self._ask("$disconnect")
        self._line = None

    def _subscribed(self, turn: Turn, after: int) -> _Line:
        asked = {"session_id": turn.session_id, "turn_id": turn.turn_id, "after": after}
        for _ in range(_MAX_TRIES):
            line = self._line or self._connect()
            answer = self._ask("$default", body=json.dumps({"action": "subscribe", **asked}))
            if answer.failed:
                continue
            if json.loads(json.loads(answer.payload)["body"])["type"] == "subscribed":
                return line
            self._line = None  # it was given up, for what it did not take
        raise AssertionError("the turn cannot be followed")

    def _connect(self) -> _Line:
        self._opened += 1
        for attempt in range(_MAX_TRIES):
            self._connection = f"{self._asker.session_id}-{self._opened}-{attempt}"
            ticket = use_cases().issue_ticket(self._asker.who).ticket
            answer = self._ask("$connect", queryStringParameters={"ticket": ticket})
            if not answer.failed and json.loads(answer.payload)["statusCode"] == 200:
                self._line = _Line()
                websocket_connections.register(self._connection, self._line)
                return self._line
        raise AssertionError("no connection can be opened")

    def _ask(self, route: str, **given: object) -> InvocationResult:
        return invoke_websocket_function(
            {"requestContext": {"routeKey": route, "connectionId": self._connection}, **given}
        )


def connection_of(connection_id: str) -> str:
    """Return what an id stands for, whichever attempt to open the connection it was."""
    return connection_id.rpartition("-")[0]


def as_told(events: list[Event]) -> list[Json]:
    """Return events as they are kept, as a page gets them."""
    return [json.loads(json.dumps(event.shown())) for event in events]


def until_taken(ask: Callable[[], Any]) -> Any:  # noqa: ANN401  (whatever is asked for)
    """Do as a client does whose request came to nothing: ask again."""
    for _ in range(_MAX_TRIES):
        try:
            return ask()
        except BotoCoreError:
            continue
    raise AssertionError("it was never taken")
