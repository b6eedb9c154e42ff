"""Stores turns as items ``SESSION#{session_id} / TURN#{turn_id}``.

The same partition holds the user's message ``MSG#{turn_id}#00#u``. For each idempotency key, an item ``ONCE#{hash}``
stores a hash of the request, and the id of the turn that the request started. The items of a turn and of its session
count the tokens that models used.
"""

import hashlib
from dataclasses import dataclass

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, tries
from satchel.adapters.dynamodb.erasure_fence import transact_unless_erasing
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.quotas import build_turn_start
from satchel.adapters.dynamodb.sessions import build_usage_update, parse_usage, session_key
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.conversation import TokenUsage, UserMessage
from satchel.domain.errors import (
    IdempotencyKeyReused,
    SessionEnded,
    SessionNotFound,
    TooManyTurns,
    TurnRunning,
    Unavailable,
)
from satchel.domain.ids import SessionId, TurnId
from satchel.domain.quotas import seconds_left_in_minute
from satchel.domain.sessions import SessionStatus, Turn, TurnStatus
from satchel.ports import Page
from satchel.ports.turns import MAX_COUNT

PREFIX = "TURN#"
_MAX_TRIES = 20
_SESSION_POSITION, _QUOTA_POSITION = 0, 3  # indexes of the writes in the transaction that begins a turn
_IDEMPOTENCY_KEY_POSITION = 4


def _item(turn: Turn) -> Item:
    return {
        "pk": f"SESSION#{turn.session_id}",
        "sk": f"{PREFIX}{turn.turn_id}",
        "doc": turn.model_dump_json(exclude={"usage"}),
        "status": turn.status.value,
    }


def _turn(item: Item) -> Turn:
    return Turn.model_validate_json(str(item["doc"])).model_copy(update={"usage": parse_usage(item)})


def _request_hash(turn: Turn) -> str:
    request = turn.model_dump_json(include={"message", "tools", "files"})
    return hashlib.sha256(request.encode()).hexdigest()


def _idempotency_sort_key(idempotency_key: str) -> str:
    return f"ONCE#{hashlib.sha256(idempotency_key.encode()).hexdigest()}"


@dataclass(frozen=True)
class DynamoTurns:
    """Store turns in the table. Implements ``ports.turns.Turns``."""

    table: Table

    def get(self, session_id: SessionId, turn_id: TurnId) -> Turn | None:
        item = self.table.get(f"SESSION#{session_id}", f"{PREFIX}{turn_id}")
        return _turn(item) if item else None

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[Turn]:
        return self.table.list_page(Query(f"SESSION#{session_id}", PREFIX, limit), cursor, _turn)

    def begin(self, turn: Turn, idempotency_key: str | None, max_per_minute: int = MAX_COUNT) -> Turn:
        """Store a turn with its message and lock its session. If the idempotency key was used before, return its turn.

        Raise IdempotencyKeyReused, SessionNotFound, SessionEnded, TurnRunning, TooManyTurns, ErasureRunning or
        Unavailable.
        """
        for _ in tries(_MAX_TRIES):
            if idempotency_key and (existing := self._find_by_key(turn, idempotency_key)):
                return existing
            try:
                self._begin(turn, idempotency_key, max_per_minute)
            except WriteConflict:
                continue  # another turn of the user started in the same minute
            except ConditionFailed as error:
                if _IDEMPOTENCY_KEY_POSITION in error.positions:
                    continue  # a request with the same idempotency key has just started a turn: the next try returns it
                if _SESSION_POSITION not in error.positions and _QUOTA_POSITION in error.positions:
                    raise TooManyTurns(max_per_minute, seconds_left_in_minute(turn.created_at)) from error
                raise self._rejection(turn) from error
            else:
                return turn
        raise Unavailable("Another request is changing the session; try again.")

    def _begin(self, turn: Turn, idempotency_key: str | None, max_per_minute: int) -> None:
        message = UserMessage(text=turn.message)
        pk = f"SESSION#{turn.session_id}"
        writes = [
            self.table.build_update(
                *session_key(turn.user, turn.session_id),
                expression="SET running_turn = :turn, last_used_at = :now, expires_at = :used",
                condition="#status = :active AND attribute_not_exists(running_turn)",
                values={
                    "turn": turn.turn_id,
                    "now": turn.created_at.isoformat(),
                    "used": int(turn.created_at.timestamp()),
                    "active": SessionStatus.ACTIVE.value,
                },
                names={"#status": "status"},
            ),
            self.table.build_put(_item(turn), if_absent=True),
            self.table.build_put({"pk": pk, "sk": f"MSG#{turn.turn_id}#00#u", "doc": message.model_dump_json()}),
            build_turn_start(self.table, turn.user, turn.created_at, max_per_minute),
        ]
        if idempotency_key:
            sk = _idempotency_sort_key(idempotency_key)
            item: Item = {"pk": pk, "sk": sk, "turn": turn.turn_id, "asked": _request_hash(turn)}
            writes.append(self.table.build_put(item, if_absent=True))
        transact_unless_erasing(self.table, turn.user, turn.created_at, writes)

    def _find_by_key(self, turn: Turn, idempotency_key: str) -> Turn | None:
        item = self.table.get(f"SESSION#{turn.session_id}", _idempotency_sort_key(idempotency_key))
        if item is None:
            return None
        if item["asked"] != _request_hash(turn):
            raise IdempotencyKeyReused("This Idempotency-Key was used for another message.", turn_id=str(item["turn"]))
        return self.get(turn.session_id, TurnId(str(item["turn"])))

    def _rejection(self, turn: Turn) -> Exception:
        """Return the error that says why the session cannot start this turn."""
        item = self.table.get(*session_key(turn.user, turn.session_id))
        if item is None:
            return SessionNotFound(turn.session_id)
        if item["status"] == SessionStatus.ENDED.value:
            return SessionEnded(turn.session_id)
        running = item.get("running_turn")
        return TurnRunning(TurnId(str(running))) if running else Unavailable("The session was busy; try again.")

    def add_usage(self, turn: Turn, usage: TokenUsage) -> None:
        """Add a model's token usage to the counters of the turn and its session. Do nothing if either was deleted."""
        if usage == TokenUsage():
            return
        keys = (f"SESSION#{turn.session_id}", f"{PREFIX}{turn.turn_id}"), session_key(turn.user, turn.session_id)
        writes = [build_usage_update(self.table, *key, usage) for key in keys]
        for _ in tries(_MAX_TRIES):
            try:
                self.table.transact(writes)
            except WriteConflict:
                continue
            except ConditionFailed:
                return
            else:
                return
        raise Unavailable("Other writers are changing the turn; try again.")

    def end(self, turn: Turn) -> bool:
        item = _item(turn)
        writes = [
            self.table.build_update(
                str(item["pk"]),
                str(item["sk"]),
                expression="SET doc = :doc, #status = :status",
                condition="#status = :running",
                values={"doc": item["doc"], "status": turn.status.value, "running": TurnStatus.RUNNING.value},
                names={"#status": "status"},
            ),
            self.table.build_update(
                *session_key(turn.user, turn.session_id),
                expression="REMOVE running_turn",
                condition="running_turn = :turn",
                values={"turn": turn.turn_id},
            ),
        ]
        for _ in tries(_MAX_TRIES):
            try:
                self.table.transact(writes)
            except WriteConflict:
                continue
            except ConditionFailed as error:
                if 0 in error.positions:
                    return False
                del writes[1:]  # another turn holds the session's lock, so end this turn without unlocking the session
            else:
                return True
        raise Unavailable("Other writers are changing the turn; try again.")
