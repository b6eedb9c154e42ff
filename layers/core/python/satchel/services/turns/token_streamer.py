"""Publish the model's reply as ``token_stream`` events while it is generated, at most five events per second."""

from collections.abc import Callable

from satchel.domain.events import NewEvent
from satchel.domain.ids import TurnId
from satchel.domain.size_limits import MAX_ANSWER_CHARS, split_text
from satchel.ports.system import Clock
from satchel.ports.turns import Events

ATTEMPTS_PER_TRY = 100
"""Each try of the state Think numbers its attempts in a range of this size. A later try uses a higher range."""

_MIN_INTERVAL, _MAX_INTERVAL = 0.2, 0.5
_INTERVAL_DIVISOR = 20  # the interval is 1/20 of the time since the reply started
_CHECK_SECONDS = 1.0


class TurnCancelled(Exception):
    """The turn ended while the model generated its reply, so the reply is discarded."""


class TokenStreamer:
    """Publish the reply of one round piece by piece. Implements ``StreamListener``.

    The first piece is published at once, then five pieces per second, later two, to limit the number of writes. Without
    new text, ``is_running`` is called once per second. ``tries`` is how often the state Think failed in this round.
    """

    def __init__(
        self,
        events: Events,
        clock: Clock,
        turn_id: TurnId,
        round_number: int,
        tries: int = 0,
        is_running: Callable[[], bool] = lambda: True,
    ) -> None:
        self._events, self._clock, self._turn_id, self._round = events, clock, turn_id, round_number
        self._is_running = is_running
        self._attempt = tries * ATTEMPTS_PER_TRY
        self._is_retry = tries > 0
        self._published = self._pending = ""
        self._started = self._last = clock.monotonic()

    def __call__(self, text: str) -> None:
        """Collect text, and publish the collected text if the interval is over. Raise TurnCancelled or Unavailable."""
        chars_left = MAX_ANSWER_CHARS - 1 - len(self._published) - len(self._pending)
        self._pending += text[: max(0, chars_left)]
        if self._pending and self._is_due():
            self._publish(self._pending)
        elif self._clock.monotonic() - self._last >= _CHECK_SECONDS:
            self._check_turn()

    def restart(self) -> None:
        """Discard the text received so far, because the model starts its reply again."""
        self._pending = ""
        if self._published:
            self._start_attempt()

    def finish(self, text: str) -> None:
        """Publish the rest of the stored reply, so that the latest attempt's events contain exactly ``text``."""
        if not text.startswith(self._published):
            self._start_attempt()
        if self._is_retry and not self._published and not text:
            self._write("")
        for piece in split_text(text[len(self._published) :]):
            self._publish(piece)

    def replay(self, text: str) -> None:
        """Publish the complete reply that an earlier try stored, because that try may have published only a part."""
        attempt = self._attempt + ATTEMPTS_PER_TRY - 1
        for number, piece in enumerate(split_text(text)):
            payload = {"text": piece, "round": self._round, "attempt": attempt}
            once = f"text-{self._round}-{attempt}-{number}"
            self._events.append(self._turn_id, NewEvent(type="token_stream", payload=payload, dedupe_key=once))

    def _is_due(self) -> bool:
        now = self._clock.monotonic()
        interval = (now - self._started) / _INTERVAL_DIVISOR
        return not self._published or now - self._last >= min(_MAX_INTERVAL, max(_MIN_INTERVAL, interval))

    def _check_turn(self) -> None:
        self._last = self._clock.monotonic()
        if not self._is_running():
            raise TurnCancelled

    def _start_attempt(self) -> None:
        self._attempt += 1
        self._published = ""
        self._started = self._clock.monotonic()
        self._write("")

    def _publish(self, text: str) -> None:
        self._write(text)
        self._published += text
        self._pending = ""

    def _write(self, text: str) -> None:
        payload = {"text": text, "round": self._round, "attempt": self._attempt}
        if self._events.append(self._turn_id, NewEvent(type="token_stream", payload=payload)) is None:
            raise TurnCancelled
        self._last = self._clock.monotonic()
