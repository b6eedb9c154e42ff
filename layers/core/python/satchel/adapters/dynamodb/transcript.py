"""Stores the messages of a session between a user's message and its answer, which are parts of the turn's item.

Their items are ``SESSION#{session_id} / MSG#{turn_id}#{round}#{role}``. ``role`` is ``v`` for a reply with calls and
``w{index}`` for the result of a call, so the keys sort in the order of the conversation. Large messages are stored in
S3. Messages of turns that apps start are not part of it. Version 0.1.0 stored every message as such an item: with the
role ``u`` that of the user, with ``v`` also the answer. A turn that Finish completed has its answer as an item, too.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, TypeAdapter

from satchel.adapters.dynamodb.items import Item, LargeTexts
from satchel.adapters.dynamodb.table import Query, Table
from satchel.adapters.dynamodb.turns import LISTED_PREFIX, is_answered, parse_prompt
from satchel.domain.branches import After, turns_of_branch
from satchel.domain.calls import Call
from satchel.domain.conversation import AssistantMessage, Message, ToolMessage
from satchel.domain.ids import TURN, SessionId, TurnId
from satchel.domain.sessions import Turn
from satchel.ports.storage import FileStore

_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message, config=ConfigDict(defer_build=True))
_MAX_INLINE_BYTES = 300_000
_MESSAGES = f"MSG#{TURN}"


class _TurnTexts(BaseModel):
    """Part of a turn that its conversation needs. To parse a whole ``Turn`` takes four times as long."""

    turn_id: TurnId
    message: str
    answer: str = ""
    after: After = None


def reply_key(session_id: SessionId, turn_id: TurnId, round_number: int) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of the model's reply with this number in the turn."""
    return f"SESSION#{session_id}", f"MSG#{turn_id}#{round_number:02d}#v"


def reply_item(store: FileStore, turn: Turn, round_number: int, message: AssistantMessage) -> Item:
    """Return the item of a reply. A large text is stored in S3 first."""
    return _item(store, turn, reply_key(turn.session_id, turn.turn_id, round_number), message)


def parse_reply(store: FileStore, item: Item) -> AssistantMessage:
    """Return the reply that an item stores."""
    return AssistantMessage.model_validate_json(_texts(store).read(item, "doc"))


def result_item(store: FileStore, call: Call, message: ToolMessage) -> Item:
    """Return the item of a call's result. A large text is stored in S3 first."""
    sort_key = f"MSG#{call.turn_id}#{call.round:02d}#w{call.index:02d}"
    return _item(store, call, (f"SESSION#{call.session_id}", sort_key), message)


def _item(store: FileStore, owner: Turn | Call, key: tuple[str, str], message: BaseModel) -> Item:
    name, value = _texts(store).to_attribute("doc", message.model_dump_json(), owner.user, owner.turn_id)
    return {"pk": key[0], "sk": key[1], name: value}


def _texts(store: FileStore) -> LargeTexts:
    return LargeTexts(store, _MAX_INLINE_BYTES)


@dataclass(frozen=True)
class DynamoTranscript:
    """Read the messages of sessions. Implements ``ports.turns.Transcript``.

    ``DynamoTurns`` stores the user's messages, and ``DynamoSteps`` the others.
    """

    table: Table
    store: FileStore

    def list_messages(self, session_id: SessionId, last: TurnId | None = None) -> Sequence[Message]:
        # One query, because it costs less than two: between the two kinds of items are only small ones.
        items = list(self.table.iterate(Query(f"SESSION#{session_id}", _MESSAGES, last=f"{LISTED_PREFIX}~")))
        turns = {turn.turn_id: (turn, item) for item in items if _is_turn(item) for turn in [_parse_texts(item)]}
        after = {turn_id: turn.after for turn_id, (turn, _) in turns.items()}
        branch = after.keys() if last is None else turns_of_branch(after, last)
        between: dict[TurnId, list[Item]] = defaultdict(list)
        for item in items:
            if str(item["sk"]).startswith(_MESSAGES):
                between[_turn_of(item)].append(item)
        messages: list[Message] = []
        for turn_id, (turn, item) in turns.items():
            if turn_id not in branch:
                continue
            if prompt := parse_prompt(item, turn.message):
                messages.append(prompt)
            messages += [_MESSAGE.validate_json(_texts(self.store).read(each, "doc")) for each in between[turn_id]]
            if is_answered(item):
                messages.append(AssistantMessage(text=turn.answer))
        return messages


def _is_turn(item: Item) -> bool:
    return str(item["sk"]).startswith(LISTED_PREFIX)


def _parse_texts(item: Item) -> _TurnTexts:
    return _TurnTexts.model_validate_json(str(item["doc"]))


def _turn_of(item: Item) -> TurnId:
    return TurnId(str(item["sk"]).split("#")[1])
