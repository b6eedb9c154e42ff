"""Sessions: ``USER#{user} / SESSION#{session_id}``."""

import json
from dataclasses import dataclass

from satchel.adapters.dynamodb.table import ConditionFailed, Item, Query, Table, from_cursor, to_cursor
from satchel.domain.sessions import Session, SessionStatus
from satchel.ports.catalog import Page

PREFIX = "SESSION#"
_BESIDE = {"status", "epoch", "running_turn", "last_used_at"}


def session_key(user: str, session_id: str) -> tuple[str, str]:
    """Return pk and sk of a session."""
    return f"USER#{user}", f"{PREFIX}{session_id}"


def _item(session: Session) -> Item:
    pk, sk = session_key(session.user, session.session_id)
    item: Item = {
        "pk": pk,
        "sk": sk,
        "doc": session.model_dump_json(exclude=_BESIDE),
        "status": session.status.value,
        "epoch": session.epoch,
        "last_used_at": session.last_used_at.isoformat(),
    }
    return item if session.running_turn is None else item | {"running_turn": session.running_turn}


def _session(item: Item) -> Session:
    beside = {name: item[name] for name in _BESIDE if name in item}
    return Session.model_validate(json.loads(str(item["doc"])) | beside)


@dataclass(frozen=True)
class DynamoSessions:
    """Implements ``ports.catalog.Sessions``."""

    table: Table

    def create(self, session: Session) -> None:
        """Write a new session."""
        self.table.put(_item(session))

    def get(self, user: str, session_id: str) -> Session | None:
        """Return a session of this person."""
        item = self.table.get(*session_key(user, session_id))
        return _session(item) if item else None

    def list(self, user: str, limit: int, cursor: str | None) -> Page[Session]:
        """Return sessions, newest first."""
        query = Query(f"USER#{user}", PREFIX, limit, from_cursor(cursor, PREFIX), newest_first=True)
        items, last = self.table.query(query)
        return Page(items=[_session(item) for item in items], cursor=to_cursor(last))

    def end(self, user: str, session_id: str) -> None:
        """Mark a session ended and raise its epoch, once."""
        try:
            self.table.update(
                *session_key(user, session_id),
                expression="SET #status = :ended ADD epoch :one",
                condition="#status = :active",
                values={"ended": SessionStatus.ENDED.value, "active": SessionStatus.ACTIVE.value, "one": 1},
                names={"#status": "status"},
            )
        except ConditionFailed:
            return
