"""What was said, in memory."""

from collections.abc import Sequence

from satchel.domain.calls import Call
from satchel.domain.conversation import AssistantMessage, Message, ToolMessage, UserMessage
from satchel.domain.ids import SessionId, TurnId
from satchel.domain.sessions import Turn

_Place = tuple[str, int, str, int]  # turn, round, who (person before model before tools), which call


class FakeTranscript:
    """Implements ``ports.catalog.Transcript``; messages stand in the order of the talk, whoever wrote first."""

    def __init__(self) -> None:
        self._sessions: dict[str, dict[_Place, Message]] = {}

    def begin(self, turn: Turn) -> None:
        """Keep the person's message, as the beginning of a turn does."""
        self._session(turn.session_id)[turn.turn_id, 0, "u", 0] = UserMessage(text=turn.message)

    def messages(self, session_id: SessionId) -> Sequence[Message]:
        kept = self._session(session_id)
        return [kept[place].model_copy(deep=True) for place in sorted(kept)]

    def stored_reply(self, session_id: SessionId, turn_id: TurnId, round_number: int) -> AssistantMessage | None:
        reply = self._session(session_id).get((turn_id, round_number, "v", 0))
        assert reply is None or isinstance(reply, AssistantMessage)
        return reply

    def add_reply(self, turn: Turn, round_number: int, message: AssistantMessage) -> AssistantMessage:
        self._session(turn.session_id).setdefault((turn.turn_id, round_number, "v", 0), message)
        return self.stored_reply(turn.session_id, turn.turn_id, round_number) or message

    def add_result(self, call: Call, message: ToolMessage) -> None:
        self._session(call.session_id).setdefault((call.turn_id, call.round, "w", call.index), message)

    def _session(self, session_id: SessionId) -> dict[_Place, Message]:
        return self._sessions.setdefault(session_id, {})
