"""What was said: ``SESSION#{sid} / MSG#{tid}#{round}#{u|v|w…}``, so that the keys are in the order of the talk."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.table import Table
from satchel.domain.calls import Call
from satchel.domain.conversation import AssistantMessage, Message, ToolMessage

_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)


def _reply_key(turn_id: str, round_number: int) -> str:
    return f"MSG#{turn_id}#{round_number:02d}#v"


@dataclass(frozen=True)
class DynamoTranscript:
    """Implements ``ports.catalog.Transcript``. Within a round: ``u`` the person, ``v`` the model, ``w…`` the tools."""

    table: Table

    def messages(self, session_id: str) -> Sequence[Message]:
        """Return all messages in order."""
        items = self.table.query_all(f"SESSION#{session_id}", "MSG#")
        return [_MESSAGE.validate_json(str(item["doc"])) for item in items]

    def reply_of(self, session_id: str, turn_id: str, round_number: int) -> AssistantMessage | None:
        """Return what the model said in a round, if it did."""
        item = self.table.get(f"SESSION#{session_id}", _reply_key(turn_id, round_number))
        return AssistantMessage.model_validate_json(str(item["doc"])) if item else None

    def add_reply(
        self, session_id: str, turn_id: str, round_number: int, message: AssistantMessage
    ) -> AssistantMessage:
        """Keep what the model said; the first one stands."""
        key = _reply_key(turn_id, round_number)
        try:
            self.table.put({"pk": f"SESSION#{session_id}", "sk": key, "doc": message.model_dump_json()}, absent=True)
        except ConditionFailed:
            return self.reply_of(session_id, turn_id, round_number) or message
        return message

    def add_result(self, call: Call, message: ToolMessage) -> None:
        """Keep what a call came to; the first one stands."""
        key = f"MSG#{call.turn_id}#{call.round:02d}#w{call.index:02d}"
        try:
            self.table.put(
                {"pk": f"SESSION#{call.session_id}", "sk": key, "doc": message.model_dump_json()}, absent=True
            )
        except ConditionFailed:
            return
