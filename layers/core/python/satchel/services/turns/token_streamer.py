"""Publish the model's reply and its reasoning as events while they are generated, at most five events per second."""

import logging
from collections.abc import Callable
from typing import Literal

from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.ids import TurnId
from satchel.domain.size_limits import MAX_ANSWER_CHARS, MAX_REASONING_CHARS, split_text
from satchel.ports.system import Clock
from satchel.ports.turns import Events

logger = logging.getLogger(__name__)

ATTEMPTS_PER_TRY = 100
"""Each try of the state Think numbers its attempts in a range of this size. A later try uses a higher range."""

UPDATE_SECONDS = 0.2
"""Seconds between two events of a reply. The push adds up to 0.3 s, so a page has an update at least each 0.5 s."""

_CHECK_SECONDS = 1.0


class TurnCancelled(Exception):
    """The turn ended, or another invocation was faster, while the model generated its reply: it is discarded."""


class TokenStreamer:
    """Publish the model's reply of one round piece by piece. Implements ``StreamListener``.

    The first piece is published at once, then at most five pieces per second, to limit the number of writes. While the
    model sends no text, ``is_running`` is called once per second, and TurnCancelled is raised if it returns False.

    Reasoning is published in the same way, in events of its own, before the text that follows it. It is best effort: it
    ends with "…" after ``MAX_REASONING_CHARS``, and a failed write of it never fails the turn.

    ``tries`` is the number of earlier, failed tries of the state Think in this round.

    With ``is_only_writer``, the first event is written only if no other writer has stored an event that this process
    does not know. Otherwise another invocation publishes the same round, and TurnCancelled is raised.
    """

    def __init__(
        self,
        events: Events,
        clock: Clock,
        turn_id: TurnId,
        round_number: int,
        tries: int = 0,
        is_running: Callable[[], bool] = lambda: True,
        *,
        is_only_writer: bool = False,
    ) -> None:
        self._events, self._clock, self._turn_id, self._round = events, clock, turn_id, round_number
        self._is_running = is_running
        self._must_be_next = is_only_writer
        self._attempt = tries * ATTEMPTS_PER_TRY
        self._is_retry = tries > 0
        self._published = self._pending = ""
        self._thoughts = self._pending_thought = ""
        self._last = clock.monotonic()

    def __call__(self, text: str) -> None:
        """Add text to the next event, and publish the event when it is due. Raise TurnCancelled or Unavailable."""
        chars_left = MAX_ANSWER_CHARS - 1 - len(self._published) - len(self._pending)
        self._pending += text[: max(0, chars_left)]
        if self._pending and self._is_due(self._published):
            self._flush_thought()
            self._publish(self._pending)
        elif self._pending_thought and self._is_due(self._thoughts):
            self._flush_thought()
        elif self._clock.monotonic() - self._last >= _CHECK_SECONDS:
            self._check_turn()

    def think(self, text: str) -> None:
        """Add text to the next event of the reasoning. Raise TurnCancelled."""
        chars_left = MAX_REASONING_CHARS - 1 - len(self._thoughts) - len(self._pending_thought)
        if text and chars_left >= 0:
            self._pending_thought += text if len(text) <= chars_left else text[:chars_left] + "…"
        self("")

    def restart(self) -> None:
        """Discard the text and reasoning received so far, because the model starts its reply again."""
        self._pending = self._pending_thought = ""
        if self._published:
            self._start_attempt()
        elif self._thoughts:
            self._attempt += 1
        if self._thoughts:
            self._thoughts = ""
            self._write_thought("")

    def publish_all_but_last(self, text: str) -> NewEvent | None:
        """Publish the rest of the reply ``text`` except for its last piece. Return the event of that piece, if any.

        The caller stores the event together with the reply. Then the latest attempt's events contain exactly ``text``.
        """
        self._flush_thought()
        if not text.startswith(self._published):
            self._start_attempt()
        pieces = [*split_text(text[len(self._published) :])]
        for piece in pieces[:-1]:
            self._publish(piece)
        if pieces:
            return self._event(pieces[-1])
        return self._event("") if self._is_retry and not self._published and not text else None

    def replay(self, text: str) -> None:
        """Publish the complete reply that an earlier try of this round stored but may have published only in part."""
        attempt = self._attempt + ATTEMPTS_PER_TRY - 1
        for number, piece in enumerate(split_text(text)):
            payload = {"text": piece, "round": self._round, "attempt": attempt}
            once = f"text-{self._round}-{attempt}-{number}"
            self._events.append(self._turn_id, NewEvent(type="token_stream", payload=payload, dedupe_key=once))

    def _is_due(self, published: str) -> bool:
        return not published or self._clock.monotonic() - self._last >= UPDATE_SECONDS

    def _check_turn(self) -> None:
        self._last = self._clock.monotonic()
        if not self._is_running():
            raise TurnCancelled

    def _start_attempt(self) -> None:
        self._attempt += 1
        self._published = ""
        self._write("")

    def _publish(self, text: str) -> None:
        self._write(text)
        self._published += text
        self._pending = ""

    def _flush_thought(self) -> None:
        if self._pending_thought:
            self._write_thought(self._pending_thought)
            self._thoughts += self._pending_thought
            self._pending_thought = ""

    def _write_thought(self, text: str) -> None:
        try:
            self._append(self._event(text, "reasoning_stream"))
        except Unavailable:
            self._last = self._clock.monotonic()
            logger.warning("a piece of the reasoning is lost", extra={"turn_id": self._turn_id})

    def _write(self, text: str) -> None:
        self._append(self._event(text))

    def _append(self, event: NewEvent) -> None:
        append = self._events.append_next if self._must_be_next else self._events.append
        if append(self._turn_id, event) is None:
            raise TurnCancelled
        self._must_be_next = False
        self._last = self._clock.monotonic()

    def _event(self, text: str, kind: Literal["token_stream", "reasoning_stream"] = "token_stream") -> NewEvent:
        return NewEvent(type=kind, payload={"text": text, "round": self._round, "attempt": self._attempt})
