"""Stores the messages of a session between a user's message and its answer, which are parts of the turn's item.

Their items are ``SESSION#{session_id} / MSG#{turn_id}#{round}#{role}``. ``role`` is ``v`` for a reply with calls and
``w{index}`` for the result of a call, so the keys sort in the order of the conversation. Large messages are stored in
S3. Messages of turns that apps start are not part of it. Version 0.1.0 stored every message as such an item: with the
role ``u`` that of the user, with ``v`` also the answer. A turn that Finish completed has its answer as an item, too.
"""

import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from pydantic import BaseModel, ConfigDict, TypeAdapter

from satchel.adapters.dynamodb.items import Item, LargeTexts
from satchel.adapters.dynamodb.table import Query, Table
from satchel.adapters.dynamodb.turns import LISTED_PREFIX, PREFIX, has_ended, is_answered, parse_prompt
from satchel.domain.branches import After, turns_of_branch
from satchel.domain.calls import Call
from satchel.domain.conversation import AssistantMessage, Message, ToolMessage, UserMessage
from satchel.domain.ids import TURN, SessionId, TurnId
from satchel.domain.sessions import Turn
from satchel.domain.turn_messages import TurnMessages
from satchel.ports.storage import FileStore

_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message, config=ConfigDict(defer_build=True))
_MAX_INLINE_BYTES = 300_000
_MESSAGES = f"MSG#{TURN}"
_MIN_CACHED_TURNS = 20  # a shorter conversation is read by one query, which costs less than two
_MAX_CACHED_CHARS = 8_000_000
_CACHE_SECONDS = 600.0


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
class ReadTurn:
    """A turn that was read. ``chars`` is the length of its stored texts."""

    turn_id: TurnId
    after: After
    messages: TurnMessages
    is_final: bool
    chars: int


@dataclass(frozen=True)
class _CachedTurns:
    """The cached turns of a session, when they were last used, and the length of their stored texts."""

    used: float
    turns: Sequence[ReadTurn]
    chars: int


class TurnCache:
    """The beginnings of long conversations that this process has read, so that a step reads only what is new.

    They consist of final turns: these have ended, and each of their calls has a result, so nothing of them can change.
    What was not used for ten minutes is dropped. If all have too many texts, the conversation that was not used for the
    longest time is dropped.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._cached: OrderedDict[SessionId, _CachedTurns] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, session_id: SessionId) -> Sequence[ReadTurn]:
        """Return the first turns of a session, in order, or none."""
        with self._lock:
            oldest = self._monotonic() - _CACHE_SECONDS
            while self._cached and next(iter(self._cached.values())).used < oldest:
                self._cached.popitem(last=False)
            cached = self._cached.get(session_id)
            return cached.turns if cached else ()

    def put(self, session_id: SessionId, turns: Sequence[ReadTurn]) -> None:
        """Keep the first turns of a session instead of earlier ones, if they are many."""
        chars = sum(turn.chars for turn in turns)
        with self._lock:
            self._cached.pop(session_id, None)
            if len(turns) < _MIN_CACHED_TURNS or chars > _MAX_CACHED_CHARS:
                return
            self._cached[session_id] = _CachedTurns(self._monotonic(), turns, chars)
            while sum(each.chars for each in self._cached.values()) > _MAX_CACHED_CHARS:
                self._cached.popitem(last=False)


@dataclass(frozen=True)
class DynamoTranscript:
    """Read the messages of sessions. Implements ``ports.turns.Transcript``.

    ``DynamoTurns`` stores the user's messages, and ``DynamoSteps`` the others.
    """

    table: Table
    store: FileStore
    cache: TurnCache = field(default_factory=TurnCache)

    def list_turns(self, session_id: SessionId, last: TurnId | None = None) -> Sequence[TurnMessages]:
        cached = self.cache.get(session_id)
        if cached and last is not None and last <= cached[-1].turn_id:
            cached = ()
        items = self._read(session_id, cached[-1].turn_id if cached else None)
        new = [(_TurnTexts.model_validate_json(str(item["doc"])), item) for item in items if _is_turn(item)]
        after = {turn.turn_id: turn.after for turn in cached} | {turn.turn_id: turn.after for turn, _ in new}
        branch = after.keys() if last is None else turns_of_branch(after, last)
        # The messages of other branches may be in S3. They are read only to be cached, which is once.
        is_long = len(after) >= _MIN_CACHED_TURNS
        between = _messages_by_turn(items)
        parsed = [
            self._parse(turn, item, between[turn.turn_id]) for turn, item in new if is_long or turn.turn_id in branch
        ]
        if is_long and last is not None:
            # The turn itself may end during the queries. Those before it had ended when it began.
            final = takewhile(lambda turn: turn.is_final and turn.turn_id < last, parsed)
            self.cache.put(session_id, [*cached, *final])
        turns = [turn for turn in (*cached, *parsed) if turn.turn_id in branch]
        return [turn.messages for turn in turns if turn.messages.messages]

    def _read(self, session_id: SessionId, after: TurnId | None) -> list[Item]:
        """Return the items of the turns that follow this one, or of all."""
        pk, end = f"SESSION#{session_id}", f"{LISTED_PREFIX}~"
        if after is None:
            # One query, because it costs less than two: between the two kinds of items are only small ones.
            return list(self.table.iterate(Query(pk, _MESSAGES, last=end)))
        ranges = ((f"MSG#{after}~", f"{_MESSAGES}~"), (f"{PREFIX}{after}~", end))
        return [item for first, last in ranges for item in self.table.iterate(Query(pk, first, last=last))]

    def _parse(self, turn: _TurnTexts, item: Item, between: Sequence[Item]) -> ReadTurn:
        texts = [_texts(self.store).read(each, "doc") for each in between]
        prompt = parse_prompt(item, turn.message)
        messages: list[Message] = [prompt] if prompt else []
        messages += map(_MESSAGE.validate_json, texts)
        if is_answered(item):
            messages.append(AssistantMessage(text=turn.answer))
        if not isinstance(messages[0] if messages else None, UserMessage):
            messages = []
        return ReadTurn(
            turn_id=turn.turn_id,
            after=turn.after,
            messages=TurnMessages(messages),
            is_final=has_ended(item) and _has_all_results(messages),
            chars=sum(map(len, texts)) + len(str(item["doc"])) + len(str(item.get("prompt", ""))),
        )


def _has_all_results(messages: Sequence[Message]) -> bool:
    """Return True if no result of a call can follow: each call has one."""
    results = {message.ref for message in messages if isinstance(message, ToolMessage)}
    return all(
        call.ref in results for message in messages if isinstance(message, AssistantMessage) for call in message.calls
    )


def _messages_by_turn(items: Sequence[Item]) -> defaultdict[TurnId, list[Item]]:
    between: defaultdict[TurnId, list[Item]] = defaultdict(list)
    for item in items:
        if str(item["sk"]).startswith(_MESSAGES):
            between[_turn_of(item)].append(item)
    return between


def _is_turn(item: Item) -> bool:
    return str(item["sk"]).startswith(LISTED_PREFIX)


def _turn_of(item: Item) -> TurnId:
    return TurnId(str(item["sk"]).split("#")[1])
