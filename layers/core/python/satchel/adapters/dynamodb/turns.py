"""Turns: ``SESSION#{sid} / TURN#{tid}``, the message ``… / MSG#{tid}#00#u``, ``… / ONCE#{key}`` for repeats.

Tokens that models took, counted on the items of a turn and its session: counters beside ``doc``, added to alone.
"""

import hashlib
from dataclasses import dataclass

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, pause
from satchel.adapters.dynamodb.items import Item, from_cursor, to_cursor
from satchel.adapters.dynamodb.sessions import session_key, usage_of, writes_usage
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.conversation import TokenUsage, UserMessage
from satchel.domain.errors import KeyReused, SessionEnded, SessionNotFound, TurnRunning, Unavailable
from satchel.domain.ids import SessionId, TurnId
from satchel.domain.sessions import SessionStatus, Turn, TurnStatus
from satchel.ports import Page

PREFIX = "TURN#"
_TRIES = 20
_KEY_PLACE = 3  # of the idempotency key among the writes of a beginning


def _item(turn: Turn) -> Item:
    return {
        "pk": f"SESSION#{turn.session_id}",
        "sk": f"{PREFIX}{turn.turn_id}",
        "doc": turn.model_dump_json(exclude={"usage"}),
        "status": turn.status.value,
    }


def _turn(item: Item) -> Turn:
    return Turn.model_validate_json(str(item["doc"])).model_copy(update={"usage": usage_of(item)})


def _fingerprint(turn: Turn) -> str:
    asked = turn.model_dump_json(include={"message", "tools", "files"})
    return hashlib.sha256(asked.encode()).hexdigest()


@dataclass(frozen=True)
class DynamoTurns:
    """Implements ``ports.turns.Turns``."""

    table: Table

    def get(self, session_id: SessionId, turn_id: TurnId) -> Turn | None:
        """Return a turn."""
        item = self.table.get(f"SESSION#{session_id}", f"{PREFIX}{turn_id}")
        return _turn(item) if item else None

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[Turn]:
        """Return turns, oldest first."""
        items, last = self.table.query(Query(f"SESSION#{session_id}", PREFIX, limit, from_cursor(cursor, PREFIX)))
        return Page(items=[_turn(item) for item in items], cursor=to_cursor(last))

    def begin(self, turn: Turn, idempotency_key: str | None) -> Turn:
        """Write the turn, its message and the lock; or return the turn that this key began."""
        for _ in range(_TRIES):
            if idempotency_key and (begun := self._begun(turn, idempotency_key)):
                return begun
            try:
                self._begin(turn, idempotency_key)
            except WriteConflict:
                continue
            except ConditionFailed as refused:
                if _KEY_PLACE not in refused.at:
                    raise self._why_not(turn) from refused
                continue  # the same key began a turn in this moment, which also holds the lock: read it
            return turn
        raise Unavailable("The session is being written to by somebody else; try again.")

    def _begin(self, turn: Turn, idempotency_key: str | None) -> None:
        message = UserMessage(text=turn.message)
        pk = f"SESSION#{turn.session_id}"
        writes = [
            self.table.writes_update(
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
            self.table.writes_put(_item(turn), absent=True),
            self.table.writes_put({"pk": pk, "sk": f"MSG#{turn.turn_id}#00#u", "doc": message.model_dump_json()}),
        ]
        if idempotency_key:
            once: Item = {"pk": pk, "sk": _once(idempotency_key), "turn": turn.turn_id, "asked": _fingerprint(turn)}
            writes.append(self.table.writes_put(once, absent=True))
        self.table.transact(writes)

    def _begun(self, turn: Turn, idempotency_key: str) -> Turn | None:
        item = self.table.get(f"SESSION#{turn.session_id}", _once(idempotency_key))
        if item is None:
            return None
        if item["asked"] != _fingerprint(turn):
            raise KeyReused("This Idempotency-Key was used for another message.", turn_id=str(item["turn"]))
        return self.get(turn.session_id, TurnId(str(item["turn"])))

    def _why_not(self, turn: Turn) -> Exception:
        item = self.table.get(*session_key(turn.user, turn.session_id))
        if item is None:
            return SessionNotFound(turn.session_id)
        if item["status"] == SessionStatus.ENDED.value:
            return SessionEnded(turn.session_id)
        running = item.get("running_turn")
        return TurnRunning(TurnId(str(running))) if running else Unavailable("The session was busy; try again.")

    def spent(self, turn: Turn, usage: TokenUsage) -> None:
        """Count what a model took, on the turn and its session; where they are gone, nobody asks any more."""
        if usage == TokenUsage():
            return
        places = (f"SESSION#{turn.session_id}", f"{PREFIX}{turn.turn_id}"), session_key(turn.user, turn.session_id)
        writes = [writes_usage(self.table, *place, usage) for place in places]
        for _ in range(_TRIES):
            try:
                self.table.transact(writes)
            except WriteConflict:
                pause()
            except ConditionFailed:
                return
            else:
                return
        raise Unavailable("The turn is being written to by somebody else.")

    def end(self, turn: Turn) -> bool:
        """Write the end and free the session; False when the turn had ended before."""
        written = _item(turn)
        running = "#status = :running"
        writes = [
            self.table.writes_update(
                str(written["pk"]),
                str(written["sk"]),
                expression="SET doc = :doc, #status = :status",
                condition=running,
                values={"doc": written["doc"], "status": turn.status.value, "running": TurnStatus.RUNNING.value},
                names={"#status": "status"},
            ),
            self.table.writes_update(
                *session_key(turn.user, turn.session_id),
                expression="REMOVE running_turn",
                condition="running_turn = :turn",
                values={"turn": turn.turn_id},
                names={},
            ),
        ]
        for _ in range(_TRIES):
            try:
                self.table.transact(writes)
            except WriteConflict:
                pause()
            except ConditionFailed as refused:
                if 0 in refused.at:
                    return False
                del writes[1:]  # the lock is not this turn's; its end is written all the same
            else:
                return True
        raise Unavailable("The turn is being ended by somebody else.")


def _once(idempotency_key: str) -> str:
    return f"ONCE#{hashlib.sha256(idempotency_key.encode()).hexdigest()}"
