"""Stores sessions as items ``USER#{user} / SESSION#{session_id}``.

A temporary session has an item ``USER#{user} / TEMPORARY#{session_id}``, which the bucket ``temporary`` of the expiry
index sorts by the time of its deletion. It is deleted with the session.

A session that its user has deleted is an item ``USER#{user} / DELETED#{session_id}`` until its cleanup is complete.

The expiry index sorts the items of a bucket by ``expires_at``. Ended sessions are in the bucket ``ended``, sorted by
the time of their next cleanup. A session leaves this bucket when its cleanup is complete. Open sessions are sorted by
the time of their last use. They are in the buckets ``sessions``, or in the buckets ``running`` while a turn runs.

Each of the two has ``SHARDS`` buckets, because every turn moves its session, and DynamoDB limits the writes to one key
of an index to 1,000 a second.

An erasure of all data of the user sets the attribute ``erasing`` when it finds the session. No turn starts then.

Each item counts the tokens that models used, with one attribute per field of TokenUsage.
"""

import heapq
import json
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, tries
from satchel.adapters.dynamodb.erasure_fence import transact_unless_erasing
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.quotas import build_session_end, build_session_start
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.conversation import TokenUsage
from satchel.domain.errors import SessionEnded, SessionNotFound, TooManySessions, Unavailable
from satchel.domain.ids import SessionId, UserName
from satchel.domain.sessions import MAX_TEMPORARY_AGE, Session, SessionChanges, SessionStatus
from satchel.ports import Page
from satchel.ports.sessions import SessionCheck, accept_any

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

PREFIX = "SESSION#"
DELETED_PREFIX = "DELETED#"
"""The prefix of sessions that users have deleted, in place of ``PREFIX``, until their cleanup is complete."""

TEMPORARY_PREFIX = "TEMPORARY#"
_TEMPORARY_BUCKET = "temporary"

SHARDS = 8
_OPEN_BUCKET, _RUNNING_BUCKET, _ENDED_BUCKET = "sessions", "running", "ended"
# Fields of a session that are stored as separate attributes of its item, not in ``doc``
_ATTRIBUTES = {"status", "epoch", "running_turn", "last_used_at", "ended_at"}
_COUNTERS = frozenset(TokenUsage.model_fields)
_MAX_TRIES = 20
_PAGE_SIZE = 100


def session_key(user: UserName, session_id: SessionId) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of a session's item."""
    return f"USER#{user}", f"{PREFIX}{session_id}"


def session_partition(session_id: SessionId) -> str:
    """Return the partition with the turns, messages and audit entries of a session."""
    return f"{PREFIX}{session_id}"


def _key(session: Session) -> tuple[str, str]:
    pk, sk = session_key(session.user, session.session_id)
    return (pk, f"{DELETED_PREFIX}{session.session_id}") if session.deleted else (pk, sk)


def open_bucket(session_id: SessionId) -> str:
    """Return the expiry bucket of an open session without a running turn."""
    return _shards(_OPEN_BUCKET)[_shard(session_id)]


def running_bucket(session_id: SessionId) -> str:
    """Return the expiry bucket of an open session with a running turn."""
    return _shards(_RUNNING_BUCKET)[_shard(session_id)]


def _shards(bucket: str) -> Sequence[str]:
    """Return a bucket's shards. The first has no number, because version 0.1.0 stored all sessions there."""
    return [bucket, *(f"{bucket}#{number}" for number in range(1, SHARDS))]


def _shard(session_id: SessionId) -> int:
    return zlib.crc32(session_id.encode()) % SHARDS


def _item(session: Session) -> Item:
    pk, sk = session_key(session.user, session.session_id)
    item: Item = {
        "pk": pk,
        "sk": sk,
        "doc": _doc(session),
        "status": session.status.value,
        "epoch": session.epoch,
        "last_used_at": session.last_used_at.isoformat(),
        "expiry_bucket": open_bucket(session.session_id),
        "expires_at": int(session.last_used_at.timestamp()),
    }
    return item if session.running_turn is None else item | {"running_turn": session.running_turn}


def _temporary_item(session: Session) -> Item:
    due = session.created_at + MAX_TEMPORARY_AGE
    return {
        "pk": f"USER#{session.user}",
        "sk": f"{TEMPORARY_PREFIX}{session.session_id}",
        "expiry_bucket": _TEMPORARY_BUCKET,
        "expires_at": int(due.timestamp()),
    }


def _doc(session: Session) -> str:
    return session.model_dump_json(exclude=_ATTRIBUTES | {"usage"})


def parse_session(item: Item) -> Session:
    """Return the session that an item stores."""
    attributes = {name: item[name] for name in _ATTRIBUTES if name in item}
    return Session.model_validate(json.loads(str(item["doc"])) | attributes | {"usage": parse_usage(item)})


def parse_usage(item: Item) -> TokenUsage:
    """Return the token usage that is counted in the item of a session or turn."""
    return TokenUsage.model_validate({name: item[name] for name in _COUNTERS & item.keys()})


def build_usage_update(
    table: Table, pk: str, sk: str, usage: TokenUsage, status: str | None = None
) -> "TransactWriteItemTypeDef":
    """Build a write that adds ``usage`` to an item's token counters.

    The write fails if the item does not exist, or if ``status`` is given and the item has another status.
    """
    counts = usage.model_dump(exclude_defaults=True)
    return table.build_update(
        pk,
        sk,
        expression="ADD " + ", ".join(f"{name} :{name}" for name in counts),
        condition="attribute_exists(pk)" if status is None else "#status = :status",
        values=counts if status is None else {**counts, "status": status},
        names=None if status is None else {"#status": "status"},
    )


@dataclass(frozen=True)
class DynamoSessions:
    """Store sessions in the table. Implements ``ports.sessions.Sessions``."""

    table: Table

    def create(self, session: Session, max_open: int | None = None) -> Session:
        """Store a session, count it and return it. If a session with its id exists, return that one.

        Raise TooManySessions if the user has ``max_open`` open sessions already.
        """
        put = self.table.build_put(_item(session), if_absent=True)
        writes = [put, build_session_start(self.table, session.user, max_open)]
        if session.temporary:
            writes.append(self.table.build_put(_temporary_item(session)))
        try:
            self._retry(lambda: transact_unless_erasing(self.table, session.user, session.created_at, writes))
        except ConditionFailed as error:
            if stored := self.get(session.user, session.session_id):
                return stored
            raise TooManySessions(max_open or 0) from error
        return session

    def _retry(self, transact: Callable[[], None]) -> None:
        for _ in tries(_MAX_TRIES):
            try:
                return transact()
            except WriteConflict:
                continue
        raise Unavailable("Other requests are changing your sessions; try again.")

    def get(self, user: UserName, session_id: SessionId) -> Session | None:
        item = self.table.get(*session_key(user, session_id))
        return parse_session(item) if item else None

    def get_many(self, user: UserName, session_ids: Collection[SessionId]) -> dict[str, Session]:
        keys = [session_key(user, session_id) for session_id in sorted(set(session_ids))]
        sessions = map(parse_session, self.table.get_many(keys))
        return {session.session_id: session for session in sessions}

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Session]:
        return self.table.list_page(Query(f"USER#{user}", PREFIX, limit, newest_first=True), cursor, parse_session)

    def update(
        self, user: UserName, session_id: SessionId, changes: SessionChanges, check: SessionCheck = accept_any
    ) -> Session:
        """Change an open session and return the result. Concurrent changes to different fields are all applied.

        Raise SessionNotFound or SessionEnded. Raise Unavailable if conflicts with other writers prevent the change.
        """
        for _ in tries(_MAX_TRIES):
            item = self.table.get(*session_key(user, session_id))
            if item is None:
                raise SessionNotFound(session_id)
            before = parse_session(item)
            check(before)
            after = before.model_copy(update=changes.model_dump(exclude_unset=True))
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
                continue
            else:
                return after
        raise Unavailable("Another request is changing the session; try again.")

    def end(self, user: UserName, session_id: SessionId, now: datetime, *, idle_since: datetime | None = None) -> None:
        idle = "" if idle_since is None else " AND attribute_not_exists(running_turn) AND expires_at <= :since"
        since = {} if idle_since is None else {"since": int(idle_since.timestamp())}
        end = self.table.build_update(
            *session_key(user, session_id),
            expression="SET #status = :ended, ended_at = :at, expiry_bucket = :bucket, expires_at = :due"
            " ADD epoch :one",
            condition=f"#status = :active{idle}",
            values={
                **since,
                "ended": SessionStatus.ENDED.value,
                "active": SessionStatus.ACTIVE.value,
                "at": now.isoformat(),
                "bucket": _ENDED_BUCKET,
                "due": int(now.timestamp()),
                "one": 1,
            },
            names={"#status": "status"},
        )
        with suppress(ConditionFailed):
            self._retry(lambda: self.table.transact([end, build_session_end(self.table, user)]))

    def refuse_turns(self, user: UserName, session_id: SessionId) -> None:
        for _ in tries(_MAX_TRIES):
            with suppress(WriteConflict):
                with suppress(ConditionFailed):
                    key = session_key(user, session_id)
                    self.table.update(*key, "SET erasing = :yes", "attribute_exists(pk)", {"yes": True})
                return
        raise Unavailable("Other requests are changing the session; try again.")

    def delete(self, user: UserName, session_id: SessionId) -> None:
        """Replace the item of an ended session by one that only its cleanup reads, without title and instructions."""
        session = self.get(user, session_id)
        if session is None:
            raise SessionNotFound(session_id)
        stub = session.model_copy(update={"deleted": True, "title": None, "instructions": None, "running_turn": None})
        pk, sk = _key(stub)
        due = int((session.ended_at or session.last_used_at).timestamp())
        item = _item(stub) | {"sk": sk, "expiry_bucket": _ENDED_BUCKET, "expires_at": due}
        if session.ended_at is not None:
            item["ended_at"] = session.ended_at.isoformat()
        ended = self.table.build_delete_if(pk, session_key(user, session_id)[1], "status", SessionStatus.ENDED.value)
        writes = [ended, self.table.build_put(item)]
        if session.temporary:
            writes.append(self.table.build_delete(pk, f"{TEMPORARY_PREFIX}{session_id}"))
        try:
            self._retry(lambda: self.table.transact(writes))
        except ConditionFailed as error:
            raise SessionNotFound(session_id) from error

    def get_ended(self, user: UserName, session_id: SessionId) -> Session | None:
        if session := self.get(user, session_id):
            return session
        item = self.table.get(f"USER#{user}", f"{DELETED_PREFIX}{session_id}")
        return parse_session(item) if item else None

    def list_deleted(self, user: UserName, limit: int, cursor: str | None) -> Page[Session]:
        return self.table.list_page(Query(f"USER#{user}", DELETED_PREFIX, limit), cursor, parse_session)

    def list_idle(self, since: datetime, limit: int) -> Sequence[Session]:
        until = int(since.timestamp())
        shards = [self.table.query_expired(bucket, until, limit) for bucket in _shards(_OPEN_BUCKET)]
        entries = heapq.merge(*shards, key=lambda entry: int(entry["expires_at"]))
        return self._due(list(entries)[:limit], since)

    def list_old_temporary(self, now: datetime, limit: int) -> Sequence[Session]:
        entries = self.table.query_expired(_TEMPORARY_BUCKET, int(now.timestamp()), limit)
        ids = [str(entry["sk"]).removeprefix(TEMPORARY_PREFIX) for entry in entries]
        keys = [(str(entry["pk"]), f"{PREFIX}{session_id}") for entry, session_id in zip(entries, ids, strict=True)]
        return [parse_session(item) for item in self.table.get_many(keys)]

    def list_running(self, since: datetime) -> Iterator[Session]:
        until = int(since.timestamp())
        for bucket in _shards(_RUNNING_BUCKET):
            for entries in self.table.iterate_expired(bucket, until, _PAGE_SIZE):
                yield from self._due(entries, since)

    def list_due_for_cleanup(self, now: datetime, limit: int) -> Sequence[Session]:
        return self._due(self.table.query_expired(_ENDED_BUCKET, int(now.timestamp()), limit), now)

    def schedule_cleanup(self, session: Session, at: datetime) -> None:
        self._change(session, "SET expires_at = :due", {"due": int(at.timestamp())})

    def mark_cleaned_up(self, session: Session) -> None:
        """Remove an ended session from the expiry index, so that it is not cleaned up again. Forget a deleted one."""
        if session.deleted:
            return self.table.delete(*_key(session))
        return self._change(session, "REMOVE expiry_bucket, expires_at", {})

    def _due(self, entries: Sequence[Item], until: datetime) -> Sequence[Session]:
        """Return the sessions of entries of the expiry index that are still in their bucket and due by ``until``.

        Read each session itself, because the index may be outdated.
        """
        buckets = {(str(entry["pk"]), str(entry["sk"])): entry["expiry_bucket"] for entry in entries}
        items = self.table.get_many(list(buckets))
        due = [item for item in items if item.get("expiry_bucket") == buckets[str(item["pk"]), str(item["sk"])]]
        return [parse_session(item) for item in due if int(item["expires_at"]) <= until.timestamp()]

    def _change(self, session: Session, expression: str, values: dict[str, int]) -> None:
        """Update the item of an ended session. Do nothing if the session has been deleted."""
        with suppress(ConditionFailed):
            self.table.update(
                *_key(session),
                expression=expression,
                condition="#status = :ended",
                values={"ended": SessionStatus.ENDED.value, **values},
                names={"#status": "status"},
            )
