"""Push the events of a turn from the function that writes them, without the delay of the table's stream.

The stream still delivers every event that this push did not send, so a push that fails loses nothing.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field

from satchel.domain.events import Event, NewEvent
from satchel.domain.ids import TurnId
from satchel.ports.turns import Events
from satchel.services.side_by_side import start

logger = logging.getLogger(__name__)


@dataclass
class _Pushes:
    """The pushes of a turn: the thread that sends them, and whether events were written since the last one began."""

    push: Callable[[TurnId], bool]
    thread: Future[None] | None = None
    is_running: bool = False
    has_more: bool = False


@dataclass(frozen=True)
class PushedEvents:
    """Write events, and push those of a followed turn at once. Implements ``ports.turns.Events``.

    Without ``push``, only write them.
    """

    events: Events
    push: Callable[[TurnId], bool] | None
    _turns: dict[TurnId, _Pushes] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def following(self, turn_id: TurnId) -> Iterator[Callable[[], None]]:
        """Push the events of the turn that are appended in the block, and wait at its end until they are sent.

        A thread sends them, so an append waits for no connection. Each push sends all events that are new. The block
        gets a function that pushes events which were stored without an append.
        """
        if self.push is None:
            yield lambda: None
            return
        pushes = self._turns[turn_id] = _Pushes(self.push)
        try:
            yield lambda: self._start(turn_id, pushes)
        finally:
            self._turns.pop(turn_id, None)
            if pushes.thread is not None and (error := pushes.thread.exception()):
                logger.warning("only the stream pushes the events", exc_info=error)

    def append(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        """Write an event, and push it if its turn is followed."""
        return self._pushed(turn_id, self.events.append(turn_id, event))

    def append_next(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        """Write the event behind the last known one, and push it if its turn is followed."""
        return self._pushed(turn_id, self.events.append_next(turn_id, event))

    def _pushed(self, turn_id: TurnId, written: Event | None) -> Event | None:
        if written is not None and (pushes := self._turns.get(turn_id)):
            self._start(turn_id, pushes)
        return written

    def _start(self, turn_id: TurnId, pushes: _Pushes) -> None:
        with self._lock:
            pushes.has_more = True
            if not pushes.is_running:
                pushes.is_running = True
                pushes.thread = start(lambda: self._send(turn_id, pushes))

    def _send(self, turn_id: TurnId, pushes: _Pushes) -> None:
        while self._has_more(pushes):
            pushes.push(turn_id)

    def _has_more(self, pushes: _Pushes) -> bool:
        with self._lock:
            pushes.is_running, pushes.has_more = pushes.has_more, False
            return pushes.is_running

    def read_last_number(self, turn_id: TurnId) -> None:
        """Prepare the next ``append``."""
        self.events.read_last_number(turn_id)

    def expect_first(self, turn_id: TurnId) -> None:
        """Prepare the next ``append`` of a new turn."""
        self.events.expect_first(turn_id)

    def list_after(self, turn_id: TurnId, seq: int, limit: int) -> Sequence[Event]:
        """Return events after a number."""
        return self.events.list_after(turn_id, seq, limit)
