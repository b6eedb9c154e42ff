"""Tell an answer while the model still gives it: ``token_stream`` events, a few a second."""

from collections.abc import Callable

from satchel.domain.events import NewEvent
from satchel.domain.ids import TurnId
from satchel.domain.size_limits import MAX_ANSWER_CHARS, pieces
from satchel.ports.system import Clock
from satchel.ports.turns import Events

BEGINNINGS = 100
"""A state that is tried again begins above all the beginnings of the one before."""

_SOONEST, _LATEST = 0.2, 0.5
_SLOWING = 20
_LOOK_SECONDS = 1.0


class TurnCancelled(Exception):
    """The turn has ended while the model spoke: what it says is nobody's."""


class TokenStreamer:
    """Implements ``ports.model.StreamListener`` for one round of a turn, which Think tries for the ``tries``-th time.

    The first piece is told at once, then five times a second, after some seconds two times: an answer of 2,000 tokens
    takes some dozens of writes. While nothing is said, ``wanted`` is asked once a second whether anybody listens.
    """

    def __init__(
        self,
        events: Events,
        clock: Clock,
        turn_id: TurnId,
        round_number: int,
        tries: int = 0,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self._events, self._clock, self._turn_id, self._round = events, clock, turn_id, round_number
        self._wanted = wanted
        self._attempt = tries * BEGINNINGS
        self._stale = tries > 0
        self._told = self._held = ""
        self._begun = self._last = clock.monotonic()

    def __call__(self, text: str) -> None:
        """Tell what has gathered, if it is time. Raises NobodyListens, Unavailable."""
        room = MAX_ANSWER_CHARS - 1 - len(self._told) - len(self._held)
        self._held += text[: max(0, room)]
        if self._held and self._is_time():
            self._tell(self._held)
        elif self._clock.monotonic() - self._last >= _LOOK_SECONDS:
            self._look()

    def restart(self) -> None:
        """Tell that the answer begins again; what was told of it is nothing any more."""
        self._held = ""
        if self._told:
            self._begin_again()

    def whole(self, text: str) -> None:
        """Tell what is missing of the answer that stands, so that what was told of it is that answer."""
        if not text.startswith(self._told):
            self._begin_again()
        if self._stale and not self._told and not text:
            self._write("")
        for piece in pieces(text[len(self._told) :]):
            self._tell(piece)

    def again(self, text: str) -> None:
        """Tell an answer that stood before this try began, whole: what was told of it then is not known."""
        attempt = self._attempt + BEGINNINGS - 1
        for number, piece in enumerate(pieces(text)):
            payload = {"text": piece, "round": self._round, "attempt": attempt}
            once = f"text-{self._round}-{attempt}-{number}"
            self._events.append(self._turn_id, NewEvent(type="token_stream", payload=payload, once=once))

    def _is_time(self) -> bool:
        now = self._clock.monotonic()
        pause = min(_LATEST, max(_SOONEST, (now - self._begun) / _SLOWING))
        return not self._told or now - self._last >= pause

    def _look(self) -> None:
        self._last = self._clock.monotonic()
        if not self._wanted():
            raise TurnCancelled

    def _begin_again(self) -> None:
        self._attempt += 1
        self._told = ""
        self._begun = self._clock.monotonic()
        self._write("")

    def _tell(self, text: str) -> None:
        self._write(text)
        self._told += text
        self._held = ""

    def _write(self, text: str) -> None:
        payload = {"text": text, "round": self._round, "attempt": self._attempt}
        if self._events.append(self._turn_id, NewEvent(type="token_stream", payload=payload)) is None:
            raise TurnCancelled
        self._last = self._clock.monotonic()
