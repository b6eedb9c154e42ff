"""Stores turns as items ``SESSION#{session_id} / TURN#{turn_id}``.

The item is also the user's message (``prompt``: what the message has besides its text) and, if ``answered`` is set, the
model's last reply. ``rounds`` is the number of the stored replies before it. For each idempotency key, an item
``ONCE#{hash}`` in the same partition stores a hash of the request, and the id of the turn that the request started. The
items of a turn and of its session count the tokens that models used.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.chat_words import words_item
from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, tries
from satchel.adapters.dynamodb.erasure_fence import erasure_key, transact_unless_erasing
from satchel.adapters.dynamodb.events import EventLog, only_event_item
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.quotas import build_app_call_start, build_turn_start
from satchel.adapters.dynamodb.sessions import build_usage_update, open_bucket, parse_usage, running_bucket, session_key
from satchel.adapters.dynamodb.table import Query, Table
from satchel.adapters.dynamodb.tool_use import build_tool_use
from satchel.adapters.dynamodb.users import parse_erasure
from satchel.domain.conversation import TokenUsage, UserMessage
from satchel.domain.errors import (
    ErasureRunning,
    IdempotencyKeyReused,
    SessionEnded,
    SessionNotFound,
    TooManyTurns,
    TurnRunning,
    Unavailable,
)
from satchel.domain.events import NewEvent, imported_event
from satchel.domain.ids import TURN, SessionId, TurnId
from satchel.domain.quotas import seconds_left_in_minute
from satchel.domain.sessions import Rating, Session, SessionStatus, Turn, TurnStatus
from satchel.ports import Page
from satchel.ports.turns import MAX_COUNT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

PREFIX = "TURN#"
"""The prefix of all turns of a session. Those of apps sort behind the others, whose ids begin with another letter."""

LISTED_PREFIX = f"{PREFIX}{TURN}"
"""The prefix of the turns that users start."""

_MAX_TRIES = 20
_NO_RATING = "none"  # the user has taken the rating back
_MAX_WRITES = 99  # a transaction is limited to 100, and one of them checks for an erasure
_MAX_TRANSACTION_BYTES = 3_000_000  # DynamoDB's limit is 4 MB
_SESSION_POSITION, _QUOTA_POSITION = 0, 2  # indexes of the writes in the transaction that begins a turn
_IDEMPOTENCY_KEY_POSITION = 3
_TURN_POSITION = 0  # index of the write in the transaction that ends a turn
_ANSWERED = "answered"


def turn_key(session_id: SessionId, turn_id: TurnId) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of a turn's item."""
    return f"SESSION#{session_id}", f"{PREFIX}{turn_id}"


def _item(turn: Turn) -> Item:
    pk, sk = turn_key(turn.session_id, turn.turn_id)
    return {
        "pk": pk,
        "sk": sk,
        "doc": turn.model_dump_json(exclude={"usage", "rating"}),
        "status": turn.status.value,
    }


def _parse_rating(item: Item) -> Rating | None:
    stored = str(item.get("rating", _NO_RATING))
    return None if stored == _NO_RATING else Rating(stored)


def _parse_seen_at(item: Item) -> datetime | None:
    return datetime.fromisoformat(str(item["seen_at"])) if "seen_at" in item else None


def parse_turn(item: Item) -> Turn:
    """Return the turn that an item stores."""
    return Turn.model_validate_json(str(item["doc"])).model_copy(
        update={"usage": parse_usage(item), "rating": _parse_rating(item), "seen_at": _parse_seen_at(item)}
    )


def _request_hash(turn: Turn) -> str:
    request = turn.model_dump_json(include={"message", "tools", "files", "after"})
    return hashlib.sha256(request.encode()).hexdigest()


def _idempotency_sort_key(idempotency_key: str) -> str:
    return f"ONCE#{hashlib.sha256(idempotency_key.encode()).hexdigest()}"


def _prompt(message: UserMessage) -> Item:
    return {"prompt": message.model_dump_json(exclude={"role", "text"}, exclude_defaults=True)}


def is_answered(item: Item) -> bool:
    """Return True if the turn's answer is also its last message for the model."""
    return bool(item.get(_ANSWERED))


def has_ended(item: Item) -> bool:
    """Return True if the turn has ended."""
    return item.get("status", TurnStatus.RUNNING.value) != TurnStatus.RUNNING.value


def parse_prompt(item: Item, text: str) -> UserMessage | None:
    """Return the user's message of a turn, or None if an older version stored it as an item of its own."""
    return UserMessage(text=text, **json.loads(str(item["prompt"]))) if "prompt" in item else None


def _imported_items(turn: Turn) -> list[Item]:
    """Return the items of a turn that its user imported: the turn, its words, and its last event."""
    messages = _prompt(UserMessage(text=turn.message)) | ({_ANSWERED: True} if turn.answer else {})
    return [
        {**_item(turn), **messages},
        words_item(turn),
        only_event_item(turn.turn_id, imported_event(turn), turn.created_at),
    ]


def _batches(items: Sequence[Item]) -> "Iterator[Sequence[Item]]":
    """Yield the items in batches for one transaction each."""
    batch: list[Item] = []
    size = 0
    for item in items:
        item_size = sum(len(str(value).encode()) for value in item.values())
        if batch and (len(batch) == _MAX_WRITES or size + item_size > _MAX_TRANSACTION_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item_size
    if batch:
        yield batch


@dataclass(frozen=True)
class DynamoTurns:
    """Store turns in the table. Implements ``ports.turns.Turns``."""

    table: Table

    def mark_seen(self, session_id: SessionId, turn_id: TurnId, now: datetime) -> None:
        """Store the time in an attribute of its own, which the end of the turn does not change."""
        with suppress(ConditionFailed):
            self.table.update(
                *turn_key(session_id, turn_id),
                expression="SET seen_at = :now",
                condition="attribute_exists(pk)",
                values={"now": now.isoformat()},
            )

    def get(self, session_id: SessionId, turn_id: TurnId) -> Turn | None:
        item = self.table.get(*turn_key(session_id, turn_id))
        return parse_turn(item) if item else None

    def get_many(self, keys: Sequence[tuple[SessionId, TurnId]]) -> Sequence[Turn]:
        return [parse_turn(item) for item in self.table.get_many([turn_key(*key) for key in keys])]

    def list(self, session_id: SessionId, limit: int, cursor: str | None, *, newest_first: bool = False) -> Page[Turn]:
        query = Query(f"SESSION#{session_id}", LISTED_PREFIX, limit, newest_first=newest_first)
        return self.table.list_page(query, cursor, parse_turn)

    def begin(
        self,
        turn: Turn,
        idempotency_key: str | None,
        max_per_minute: int = MAX_COUNT,
        *,
        message: UserMessage | None = None,
    ) -> Turn:
        """Store a turn with its message and lock its session. If the idempotency key was used before, return its turn.

        Raise IdempotencyKeyReused, SessionNotFound, SessionEnded, TurnRunning, TooManyTurns, ErasureRunning or
        Unavailable.
        """
        for _ in tries(_MAX_TRIES):
            if idempotency_key and (existing := self._find_by_key(turn, idempotency_key)):
                return existing
            try:
                self._begin(turn, message or UserMessage(text=turn.message), idempotency_key, max_per_minute)
            except WriteConflict:
                continue  # another turn of the user started in the same minute
            except ConditionFailed as error:
                if _IDEMPOTENCY_KEY_POSITION in error.positions:
                    continue  # a request with the same idempotency key has just started a turn: the next try returns it
                if _SESSION_POSITION not in error.positions and _QUOTA_POSITION in error.positions:
                    raise TooManyTurns(max_per_minute, seconds_left_in_minute(turn.created_at)) from error
                if rejection := self._rejection(turn):
                    raise rejection from error
                # What blocked the turn has just ended, for example by a cancellation: the next try can succeed.
            else:
                return turn
        raise Unavailable("Another request is changing the session; try again.")

    def _begin(self, turn: Turn, message: UserMessage, idempotency_key: str | None, max_per_minute: int) -> None:
        writes = [
            self.table.build_update(
                *session_key(turn.user, turn.session_id),
                expression="SET running_turn = :turn, last_used_at = :now, expires_at = :used, expiry_bucket = :bucket",
                condition="#status = :active AND attribute_not_exists(running_turn) AND attribute_not_exists(erasing)",
                values={
                    "turn": turn.turn_id,
                    "now": turn.created_at.isoformat(),
                    "used": int(turn.created_at.timestamp()),
                    "bucket": running_bucket(turn.session_id),
                    "active": SessionStatus.ACTIVE.value,
                },
                names={"#status": "status"},
            ),
            self.table.build_put({**_item(turn), **_prompt(message)}, if_absent=True),
            build_turn_start(self.table, turn.user, turn.created_at, max_per_minute),
        ]
        if idempotency_key:
            pk, sk = f"SESSION#{turn.session_id}", _idempotency_sort_key(idempotency_key)
            item: Item = {"pk": pk, "sk": sk, "turn": turn.turn_id, "asked": _request_hash(turn)}
            writes.append(self.table.build_put(item, if_absent=True))
        self.table.transact(writes)

    def add_imported(self, session: Session, turns: Sequence[Turn]) -> None:
        """Store imported turns with their messages and last events, in transactions that the erasure fence guards."""
        items = [item for turn in turns for item in _imported_items(turn)]
        for batch in _batches(items):
            writes = [self.table.build_put(item) for item in batch]
            for _ in tries(_MAX_TRIES):
                with suppress(WriteConflict):
                    transact_unless_erasing(self.table, session.user, session.created_at, writes)
                    break
            else:
                raise Unavailable("Another request is importing the same conversation; try again.")

    def begin_for_app(self, turn: Turn, max_per_minute: int) -> None:
        """Store a turn that an app starts. It does not lock the session, and has no message.

        Raise SessionNotFound, SessionEnded, TooManyTurns, ErasureRunning or Unavailable.
        """
        writes = [
            self.table.build_check(*session_key(turn.user, turn.session_id), "status", SessionStatus.ACTIVE),
            self.table.build_put(_item(turn), if_absent=True),
            build_app_call_start(self.table, turn.user, turn.created_at, max_per_minute),
        ]
        for _ in tries(_MAX_TRIES):
            try:
                transact_unless_erasing(self.table, turn.user, turn.created_at, writes)
            except WriteConflict:
                continue  # another call of the user started in the same minute, or a turn changed the session
            except ConditionFailed as error:
                if _SESSION_POSITION in error.positions:
                    raise self._rejection(turn) or SessionNotFound(turn.session_id) from error
                raise TooManyTurns(max_per_minute, seconds_left_in_minute(turn.created_at)) from error
            else:
                return
        raise Unavailable("Another request is changing the session; try again.")

    def _find_by_key(self, turn: Turn, idempotency_key: str) -> Turn | None:
        item = self.table.get(f"SESSION#{turn.session_id}", _idempotency_sort_key(idempotency_key))
        if item is None:
            return None
        if item["asked"] != _request_hash(turn):
            raise IdempotencyKeyReused("This Idempotency-Key was used for another message.", turn_id=str(item["turn"]))
        return self.get(turn.session_id, TurnId(str(item["turn"])))

    def _rejection(self, turn: Turn) -> Exception | None:
        """Return the error that says why the session cannot start this turn, or None if it can start it now."""
        session, erasure = session_key(turn.user, turn.session_id), erasure_key(turn.user)
        items = {(str(item["pk"]), str(item["sk"])): item for item in self.table.get_many([session, erasure])}
        if erasure in items and parse_erasure(turn.user, items[erasure]).refuses(turn.created_at):
            return ErasureRunning()
        item = items.get(session)
        if item is None:
            return SessionNotFound(turn.session_id)
        if item["status"] == SessionStatus.ENDED.value:
            return SessionEnded(turn.session_id)
        running = item.get("running_turn")
        return TurnRunning(TurnId(str(running))) if running else None

    def add_usage(self, turn: Turn, usage: TokenUsage) -> None:
        """Add tokens to the counters of the turn. If the turn has ended, add them to its session as well.

        Do nothing if the turn or the session was deleted.
        """
        if usage == TokenUsage():
            return
        key = turn_key(turn.session_id, turn.turn_id)
        session = build_usage_update(self.table, *session_key(turn.user, turn.session_id), usage)
        writes = [build_usage_update(self.table, *key, usage, TurnStatus.RUNNING)]
        for _ in tries(_MAX_TRIES):
            try:
                self.table.transact(writes)
            except WriteConflict:
                continue
            except ConditionFailed:
                if len(writes) > 1:
                    return
                writes = [build_usage_update(self.table, *key, usage), session]
            else:
                return
        raise Unavailable("Other writers are changing the turn; try again.")

    def rate(self, session_id: SessionId, turn_id: TurnId, rating: Rating | None) -> bool:
        """Store the rating in an attribute of its own, which the end of the turn does not change."""
        try:
            self.table.update(
                *turn_key(session_id, turn_id),
                expression="SET rating = :rating",
                condition="attribute_exists(pk)",
                values={"rating": rating.value if rating else _NO_RATING},
            )
        except ConditionFailed:
            return False
        return True

    def end(self, turn: Turn, event: NewEvent, tool_use: Mapping[str, int]) -> bool:
        return end_turn(self.table, turn, turn.usage, [event], tool_use)


def build_round(table: Table, turn: Turn, number: int, usage: TokenUsage) -> "TransactWriteItemTypeDef":
    """Build the write that counts a stored round and its tokens in the turn's item. It fails if the turn has ended."""
    counts = usage.model_dump(exclude_defaults=True)
    add = " ADD " + ", ".join(f"{name} :{name}" for name in counts) if counts else ""
    return table.build_update(
        *turn_key(turn.session_id, turn.turn_id),
        expression=f"SET rounds = :rounds{add}",
        condition="#status = :running",
        values={**counts, "rounds": number + 1, "running": TurnStatus.RUNNING.value},
        names={"#status": "status"},
    )


def end_turn(
    table: Table,
    turn: Turn,
    used_before: TokenUsage,
    events: Sequence[NewEvent],
    tool_use: Mapping[str, int],
    answered_round: int | None = None,
) -> bool:
    """Save an ended turn with its last events, and unlock its session, in one transaction; before that, its words.

    ``answered_round`` is the number of the round whose reply is the turn's answer, unless that round is stored.
    Return False, and write nothing, if the turn has ended before, if its item has other tokens than ``used_before``, or
    if the round ``answered_round`` is stored.
    """
    ended_at = turn.ended_at or turn.created_at
    counted = [build_tool_use(table, turn.user, tool_use)] if tool_use else []
    if not turn.is_from_app:
        table.put(words_item(turn))  # costs half as much as in the transaction
    end = _build_end(table, turn, used_before, answered_round)
    for unlock in _unlocks(table, turn):
        writes = [end, *([unlock] if unlock else []), *counted]
        try:
            return bool(EventLog(table).append_with(turn.turn_id, events, writes, ended_at))
        except ConditionFailed as error:
            if _TURN_POSITION in error.positions:
                return False
    raise Unavailable("Other writers are changing the turn; try again.")


def _build_end(
    table: Table, turn: Turn, used_before: TokenUsage, answered_round: int | None
) -> "TransactWriteItemTypeDef":
    item = _item(turn)
    # The session gets the tokens of ``turn``, so they must be all that the turn's item has from now on.
    counts = used_before.model_dump()
    unchanged = [f"{name} = :{name}" if count else f"attribute_not_exists({name})" for name, count in counts.items()]
    new = {name: count for name, count in turn.usage.model_dump().items() if count != counts[name]}
    sets = ["SET doc = :doc, #status = :status", *(f"{name} = :new_{name}" for name in new)]
    answered: Item = {}
    if answered_round is not None:
        answered = {_ANSWERED: True, "round": answered_round}
        sets.append(f"{_ANSWERED} = :{_ANSWERED}")
        unchanged.append("(attribute_not_exists(rounds) OR rounds <= :round)")
    return table.build_update(
        str(item["pk"]),
        str(item["sk"]),
        expression=", ".join(sets),
        condition=" AND ".join(["#status = :running", *unchanged]),
        values={
            "doc": item["doc"],
            "status": turn.status.value,
            "running": TurnStatus.RUNNING.value,
            **used_before.model_dump(exclude_defaults=True),
            **{f"new_{name}": count for name, count in new.items()},
            **answered,
        },
        names={"#status": "status"},
    )


def _unlocks(table: Table, turn: Turn) -> "Iterator[TransactWriteItemTypeDef | None]":
    """Yield the write that unlocks the session and adds the turn's tokens to it.

    If its condition fails, the next one applies. The first is for an open session, the second for an ended one, which
    stays in the bucket of its cleanup. If another turn holds the session's lock, the last applies: None, no write.
    """
    if turn.is_from_app:
        yield None  # it has locked nothing, and used no tokens
        return
    key = session_key(turn.user, turn.session_id)
    counts = turn.usage.model_dump(exclude_defaults=True)
    add = " ADD " + ", ".join(f"{name} :{name}" for name in counts) if counts else ""
    yield table.build_update(
        *key,
        expression=f"SET expiry_bucket = :bucket REMOVE running_turn{add}",
        condition="running_turn = :turn AND #status = :active",
        values={
            **counts,
            "turn": turn.turn_id,
            "bucket": open_bucket(turn.session_id),
            "active": SessionStatus.ACTIVE.value,
        },
        names={"#status": "status"},
    )
    yield table.build_update(
        *key,
        expression=f"REMOVE running_turn{add}",
        condition="running_turn = :turn",
        values={**counts, "turn": turn.turn_id},
    )
    yield None
