"""Ask the model for the title of a new conversation while it answers the first message (part of the state Think)."""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from satchel.domain.chat_title import INSTRUCTIONS, MAX_SOURCE_CHARS, clean_title, is_first_line
from satchel.domain.conversation import CompletionRequest, UserMessage
from satchel.domain.errors import SessionEnded, SessionNotFound, Unavailable
from satchel.domain.llm import OFFLINE, ModelCatalog, ModelError
from satchel.domain.sessions import Session, SessionChanges, Turn
from satchel.domain.turn_messages import TurnMessages
from satchel.ports.llm import Model
from satchel.ports.sessions import Sessions
from satchel.ports.turns import Turns

logger = logging.getLogger(__name__)

_MAX_TURNS = 2  # a title that was too late for the first turn is requested again in the second one


class _TitleTooLate(Exception):
    """The answer is complete before the title, so the title is given up: it must not delay the turn."""


class _TitleSet(Exception):
    """The user has changed the title meanwhile."""


def start_thread(run: Callable[[], None]) -> None:
    """Run a function in a thread of its own."""
    threading.Thread(target=run, daemon=True).start()


@dataclass(frozen=True)
class MakeTitle:
    """Replace the first line of the first message, or a missing title, by a title from the session's model.

    The request runs beside the one for the answer, and ends with it. So it costs no function, no state and no time, and
    a short answer may leave the conversation without a new title until its second turn. A title that the user gave is
    never replaced. Its tokens are tokens of the turn.
    """

    sessions: Sessions
    turns: Turns
    models: ModelCatalog
    model: Model
    is_enabled: bool
    start: Callable[[Callable[[], None]], None] = start_thread

    @contextmanager
    def beside(
        self, turn: Turn, round_number: int, session: Session | None, turns: Sequence[TurnMessages]
    ) -> Iterator[None]:
        """Request the title while the block runs, if the session needs one. The end of the block does not wait."""
        request = self._request(turn, round_number, session, turns)
        if request is None:
            yield
            return
        late = threading.Event()
        first = turns[0].messages[0]
        assert isinstance(first, UserMessage)  # noqa: S101  (a request was made of it)
        self.start(lambda: self._make(turn, request, first.text, late))
        try:
            yield
        finally:
            late.set()

    def _request(
        self, turn: Turn, round_number: int, session: Session | None, turns: Sequence[TurnMessages]
    ) -> CompletionRequest | None:
        entry = self.models.get(turn.model)
        if not self.is_enabled or entry.model == OFFLINE or session is None or session.temporary:
            return None
        if round_number != turn.first_round or len(turns) > _MAX_TURNS:
            return None
        first = turns[0].messages[0]
        if not isinstance(first, UserMessage) or not is_first_line(session.title, first.text):
            return None
        text = UserMessage(text=first.text[:MAX_SOURCE_CHARS])
        thinking = None if entry.thinking is None else False
        return CompletionRequest(
            model=entry.model, instructions=INSTRUCTIONS, messages=[text], tools=[], thinking=thinking
        )

    def _make(self, turn: Turn, request: CompletionRequest, first_message: str, late: threading.Event) -> None:
        try:
            reply = self.model.reply(request, _Deadline(late))
        except (_TitleTooLate, ModelError) as error:
            logger.info("no title", extra={"turn_id": turn.turn_id, "reason": type(error).__name__})
            return

        def check(current: Session) -> None:
            if not is_first_line(current.title, first_message):
                raise _TitleSet

        try:
            self.turns.add_usage(turn, reply.usage)
            if title := clean_title(reply.text):
                self.sessions.update(turn.user, turn.session_id, SessionChanges(title=title), check)
        except (_TitleSet, SessionNotFound, SessionEnded, Unavailable) as error:
            logger.info("the title is not stored", extra={"turn_id": turn.turn_id, "reason": type(error).__name__})


class _Deadline:
    """Implements ``ports.llm.StreamListener``: cancels the request when it is late, and instead of a second try."""

    def __init__(self, late: threading.Event) -> None:
        self._late = late

    def __call__(self, text: str) -> None:
        """Cancel the request if the answer is complete."""
        del text
        if self._late.is_set():
            raise _TitleTooLate

    def think(self, text: str) -> None:
        """Cancel the request if the answer is complete."""
        self(text)

    def restart(self) -> None:
        """Cancel the request instead of a second try."""
        raise _TitleTooLate
