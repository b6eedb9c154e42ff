"""Turns in memory."""

from satchel.domain.conversation import TokenUsage
from satchel.domain.errors import KeyReused
from satchel.domain.ids import SessionId, TurnId
from satchel.domain.sessions import Turn
from satchel.ports import Page
from tests.fakes.pages import page_of
from tests.fakes.sessions import FakeSessions
from tests.fakes.transcript import FakeTranscript

_ASKED = {"message", "tools", "files"}


class FakeTurns:
    """Implements ``ports.catalog.Turns``: a turn, its message and the session's lock are written together."""

    def __init__(self, sessions: FakeSessions, transcript: FakeTranscript) -> None:
        self._sessions = sessions
        self._transcript = transcript
        self._kept: dict[tuple[str, str], Turn] = {}
        self._begun_by: dict[tuple[str, str], Turn] = {}

    def begin(self, turn: Turn, idempotency_key: str | None) -> Turn:
        if idempotency_key and (first := self._begun_by.get((turn.session_id, idempotency_key))):
            if first.model_dump(include=_ASKED) != turn.model_dump(include=_ASKED):
                raise KeyReused("This Idempotency-Key was used for another message.", turn_id=first.turn_id)
            return self._kept[turn.session_id, first.turn_id].model_copy()
        self._sessions.lock(turn)
        self._kept[turn.session_id, turn.turn_id] = turn.model_copy()
        self._transcript.begin(turn)
        if idempotency_key:
            self._begun_by[turn.session_id, idempotency_key] = turn.model_copy()
        return turn

    def get(self, session_id: SessionId, turn_id: TurnId) -> Turn | None:
        turn = self._kept.get((session_id, turn_id))
        return turn.model_copy() if turn else None

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[Turn]:
        kept = sorted((t.turn_id, t.model_copy()) for t in self._kept.values() if t.session_id == session_id)
        return page_of(kept, limit, cursor)

    def spent(self, turn: Turn, usage: TokenUsage) -> None:
        self._kept[turn.session_id, turn.turn_id].usage += usage
        self._sessions.spent(turn, usage)

    def end(self, turn: Turn) -> bool:
        key = (turn.session_id, turn.turn_id)
        if self._kept[key].ended:
            return False
        self._kept[key] = turn.model_copy(update={"usage": self._kept[key].usage})
        self._sessions.free(turn)
        return True
