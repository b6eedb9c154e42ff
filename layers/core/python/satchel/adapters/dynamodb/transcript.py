"""Stores the messages of a session as items ``SESSION#{session_id} / MSG#{turn_id}#{round}#{role}``.

``role`` is ``u`` for the user, ``v`` for the model, ``w{index}`` for the result of a call. So the keys sort in the
order of the conversation. Large messages are stored in S3.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, TypeAdapter

from satchel.adapters.dynamodb.items import LargeTexts
from satchel.adapters.dynamodb.table import Table
from satchel.domain.calls import Call
from satchel.domain.conversation import AssistantMessage, Message, ToolMessage
from satchel.domain.ids import SessionId, TurnId
from satchel.domain.sessions import Turn
from satchel.ports.storage import FileStore

_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)
_MAX_INLINE_BYTES = 300_000


def _reply_sort_key(turn_id: TurnId, round_number: int) -> str:
    return f"MSG#{turn_id}#{round_number:02d}#v"


@dataclass(frozen=True)
class DynamoTranscript:
    """Store messages of sessions. (``DynamoTurns`` stores the user's.) Implements ``ports.turns.Transcript``."""

    table: Table
    store: FileStore

    def list_messages(self, session_id: SessionId) -> Sequence[Message]:
        items = self.table.query_all(f"SESSION#{session_id}", "MSG#")
        return [_MESSAGE.validate_json(self._texts.read(item, "doc")) for item in items]

    def get_reply(self, session_id: SessionId, turn_id: TurnId, round_number: int) -> AssistantMessage | None:
        item = self.table.get(f"SESSION#{session_id}", _reply_sort_key(turn_id, round_number))
        return AssistantMessage.model_validate_json(self._texts.read(item, "doc")) if item else None

    def add_reply(self, turn: Turn, round_number: int, message: AssistantMessage) -> AssistantMessage:
        """Store the model's reply of a round (one model request), unless one is stored. Return the stored reply."""
        if self._add(turn, _reply_sort_key(turn.turn_id, round_number), message):
            return message
        return self.get_reply(turn.session_id, turn.turn_id, round_number) or message

    def add_result(self, call: Call, message: ToolMessage) -> None:
        """Store the result of a call, unless it is already stored."""
        self._add(call, f"MSG#{call.turn_id}#{call.round:02d}#w{call.index:02d}", message)

    def _add(self, owner: Turn | Call, sk: str, message: BaseModel) -> bool:
        name, value = self._texts.to_attribute("doc", message.model_dump_json(), owner.user, owner.turn_id)
        return self.table.insert({"pk": f"SESSION#{owner.session_id}", "sk": sk, name: value})

    @property
    def _texts(self) -> LargeTexts:
        return LargeTexts(self.store, _MAX_INLINE_BYTES)
