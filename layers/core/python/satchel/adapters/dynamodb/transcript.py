"""What was said: ``SESSION#{sid} / MSG#{tid}#{round}#{u|v|w…}``, so that the keys are in the order of the talk."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pydantic import BaseModel, TypeAdapter

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.items import LargeTexts
from satchel.adapters.dynamodb.table import Table
from satchel.domain.calls import Call
from satchel.domain.conversation import AssistantMessage, Message, ToolMessage
from satchel.domain.ids import SessionId, TurnId
from satchel.domain.sessions import Turn
from satchel.ports.storage import FileStore

_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)
_MAX_BYTES = 300_000


def _reply_key(turn_id: TurnId, round_number: int) -> str:
    return f"MSG#{turn_id}#{round_number:02d}#v"


@dataclass(frozen=True)
class DynamoTranscript:
    """Implements ``ports.turns.Transcript``. Within a round: ``u`` the person, ``v`` the model, ``w…`` the tools."""

    table: Table
    store: FileStore

    def messages(self, session_id: SessionId) -> Sequence[Message]:
        """Return all messages in order."""
        items = self.table.query_all(f"SESSION#{session_id}", "MSG#")
        return [_MESSAGE.validate_json(self._texts.read(item, "doc")) for item in items]

    def stored_reply(self, session_id: SessionId, turn_id: TurnId, round_number: int) -> AssistantMessage | None:
        """Return what the model said in a round, if it did."""
        item = self.table.get(f"SESSION#{session_id}", _reply_key(turn_id, round_number))
        return AssistantMessage.model_validate_json(self._texts.read(item, "doc")) if item else None

    def add_reply(self, turn: Turn, round_number: int, message: AssistantMessage) -> AssistantMessage:
        """Keep what the model said; the first one stands."""
        try:
            self._add(turn, _reply_key(turn.turn_id, round_number), message)
        except ConditionFailed:
            return self.stored_reply(turn.session_id, turn.turn_id, round_number) or message
        return message

    def add_result(self, call: Call, message: ToolMessage) -> None:
        """Keep what a call came to; the first one stands."""
        with suppress(ConditionFailed):
            self._add(call, f"MSG#{call.turn_id}#{call.round:02d}#w{call.index:02d}", message)

    def _add(self, of: Turn | Call, sk: str, message: BaseModel) -> None:
        name, text = self._texts.attribute("doc", message.model_dump_json(), of.user, of.turn_id)
        self.table.put({"pk": f"SESSION#{of.session_id}", "sk": sk, name: text}, absent=True)

    @property
    def _texts(self) -> LargeTexts:
        return LargeTexts(self.store, _MAX_BYTES)
