"""Sessions: ``USER#{user} / SESSION#{session_id}``.

An open one stands in the expiry index under ``sessions`` with the time when it was used last, an ended one under
``ended`` with the time when it is to be cleared, until nothing is left of it to clear.
"""

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, pause
from satchel.adapters.dynamodb.items import Item, from_cursor, to_cursor
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.conversation import TokenUsage
from satchel.domain.errors import SessionEnded, SessionNotFound, Unavailable
from satchel.domain.ids import SessionId, UserName
from satchel.domain.sessions import Session, SessionChanges, SessionStatus
from satchel.ports import Page

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

PREFIX = "SESSION#"
OPEN, ENDED = "sessions", "ended"
_BESIDE = {"status", "epoch", "running_turn", "last_used_at", "ended_at"}
_TRIES = 20


def session_key(user: UserName, session_id: SessionId) -> tuple[str, str]:
    """Return pk and sk of a session."""
    return f"USER#{user}", f"{PREFIX}{session_id}"


def _item(session: Session) -> Item:
    pk, sk = session_key(session.user, session.session_id)
    item: Item = {
        "pk": pk,
        "sk": sk,
        "doc": _doc(session),
        "status": session.status.value,
        "epoch": session.epoch,
        "last_used_at": session.last_used_at.isoformat(),
        "expiry_bucket": OPEN,
        "expires_at": int(session.last_used_at.timestamp()),
    }
    return item if session.running_turn is None else item | {"running_turn": session.running_turn}


def _doc(session: Session) -> str:
    return session.model_dump_json(exclude=_BESIDE | {"usage"})


def session_of(item: Item) -> Session:
    """Return what an item of a session says."""
    beside = {name: item[name] for name in _BESIDE if name in item}
    return Session.model_validate(json.loads(str(item["doc"])) | beside | {"usage": usage_of(item)})


@dataclass(frozen=True)
class DynamoSessions:
    """Implements ``ports.sessions.Sessions``."""

    table: Table

    def create(self, session: Session) -> None:
        """Write a new session."""
        self.table.put(_item(session))

    def get(self, user: UserName, session_id: SessionId) -> Session | None:
        """Return a session of this person."""
        item = self.table.get(*session_key(user, session_id))
        return session_of(item) if item else None

    def some(self, user: UserName, session_ids: Collection[SessionId]) -> dict[str, Session]:
        """Return those of these sessions that there are, by id."""
        found = map(session_of, self.table.get_many([session_key(user, each) for each in sorted(set(session_ids))]))
        return {session.session_id: session for session in found}

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Session]:
        """Return sessions, newest first."""
        query = Query(f"USER#{user}", PREFIX, limit, from_cursor(cursor, PREFIX), newest_first=True)
        items, last = self.table.query(query)
        return Page(items=[session_of(item) for item in items], cursor=to_cursor(last))

    def change(self, user: UserName, session_id: SessionId, changes: SessionChanges) -> Session:
        """Change what is said of an open session: of two who do so at once, neither undoes the other's."""
        for _ in range(_TRIES):
            item = self.table.get(*session_key(user, session_id))
            if item is None:
                raise SessionNotFound(session_id)
            after = session_of(item).model_copy(update=changes.model_dump(exclude_unset=True))
            try:
                self.table.update(
                    *session_key(user, session_id),
                    expression="SET doc = :after",
                    condition="#status = :active AND doc = :before",
                    values={"after": _doc(after), "before": item["doc"], "active": SessionStatus.ACTIVE.value},
                    names={"#status": "status"},
                )
            except ConditionFailed:
                if after.status is SessionStatus.ENDED:
                    raise SessionEnded(session_id) from None
            except WriteConflict:
                pause()
            else:
                return after
        raise Unavailable("The session is being changed by somebody else; try again.")

    def end(self, user: UserName, session_id: SessionId, now: datetime, *, idle_since: datetime | None = None) -> None:
        """Mark a session ended and raise its epoch, once; with ``idle_since``, only an idle one."""
        idle = "" if idle_since is None else " AND attribute_not_exists(running_turn) AND expires_at <= :since"
        since = {} if idle_since is None else {"since": int(idle_since.timestamp())}
        try:
            self.table.update(
                *session_key(user, session_id),
                expression="SET #status = :ended, ended_at = :at, expiry_bucket = :bucket, expires_at = :due"
                " ADD epoch :one",
                condition=f"#status = :active{idle}",
                values={
                    **since,
                    "ended": SessionStatus.ENDED.value,
                    "active": SessionStatus.ACTIVE.value,
                    "at": now.isoformat(),
                    "bucket": ENDED,
                    "due": int(now.timestamp()),
                    "one": 1,
                },
                names={"#status": "status"},
            )
        except ConditionFailed:
            return

    def idle(self, since: datetime, limit: int) -> Sequence[Session]:
        """Return open sessions that were not used since then."""
        return self._due(OPEN, since, limit)

    def due_for_cleanup(self, now: datetime, limit: int) -> Sequence[Session]:
        """Return ended sessions that are to be cleared by now."""
        return self._due(ENDED, now, limit)

    def schedule_cleanup(self, session: Session, at: datetime) -> None:
        """Note that a session is to be cleared once more."""
        self._change(session, "SET expires_at = :due", {"due": int(at.timestamp())})

    def cleared(self, session: Session) -> None:
        """Note that nothing is left to clear of a session."""
        self._change(session, "REMOVE expiry_bucket, expires_at", {})

    def _due(self, bucket: str, until: datetime, limit: int) -> Sequence[Session]:
        """The index may be behind: what a session is, its item says."""
        found = self.table.due(bucket, int(until.timestamp()), limit)
        items = self.table.get_many([(str(item["pk"]), str(item["sk"])) for item in found])
        due = [item for item in items if item.get("expiry_bucket") == bucket]
        return [session_of(item) for item in due if int(item["expires_at"]) <= until.timestamp()]

    def _change(self, session: Session, expression: str, values: dict[str, int]) -> None:
        """One that is gone meanwhile is no error."""
        with suppress(ConditionFailed):
            self.table.update(
                *session_key(session.user, session.session_id),
                expression=expression,
                condition="#status = :ended",
                values={"ended": SessionStatus.ENDED.value, **values},
                names={"#status": "status"},
            )


COUNTERS = frozenset(TokenUsage.model_fields)


def usage_of(item: Item) -> TokenUsage:
    """Return what an item's counters say."""
    return TokenUsage.model_validate({name: item[name] for name in COUNTERS & item.keys()})


def writes_usage(table: Table, pk: str, sk: str, usage: TokenUsage) -> "TransactWriteItemTypeDef":
    """Return the update that adds to them, of an item that is there."""
    counts = usage.model_dump(exclude_defaults=True)
    return table.writes_update(
        pk,
        sk,
        expression="ADD " + ", ".join(f"{name} :{name}" for name in counts),
        condition="attribute_exists(pk)",
        values=counts,
        names={},
    )
