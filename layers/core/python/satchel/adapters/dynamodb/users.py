"""Erases all data of a user. The item ``ERASURE#{user} / ERASURE`` records the progress.

The record of a running erasure is in the bucket ``erasures`` of the expiry index; after the erasure it has a ``ttl``
instead. An erasure does not delete its own record. Each transaction that deletes items also counts them in the record.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, wait_before_retry
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.sessions import PREFIX as SESSION_PREFIX
from satchel.adapters.dynamodb.table import Query, Table
from satchel.adapters.dynamodb.turns import PREFIX as TURN_PREFIX
from satchel.domain.ids import TurnId, UserName
from satchel.domain.users import Erased, Erasure, InterruptedTurn

_EXPIRY_BUCKET = "erasures"
_SK = "ERASURE"
_RETENTION = timedelta(days=7)  # time until DynamoDB deletes the record of a finished erasure
_PAGE_SIZE = 99  # a transaction is limited to 100 writes, and one of them updates the counters
_SESSION_PAGE_SIZE = 25
_COUNTER_NAMES = {  # the counter of each kind of item, by the first parts of the item's partition key and sort key
    ("USER", "FILE"): "files",
    ("USER", "VERSION"): "versions",
    ("USER", "SESSION"): "sessions",
    ("USER", "LINK"): "links",
    ("SESSION", "TURN"): "turns",
    ("TURN", "EVENT"): "events",
}


def _pk(user: UserName) -> str:
    return f"ERASURE#{user}"


def _erasure(user: UserName, item: Item) -> Erasure:
    return Erasure.model_validate(
        {
            "user": user,
            "started_at": item["started_at"],
            "finished_at": item.get("finished_at"),
            "late": json.loads(str(item["late"])),
            "erased": {name: item[name] for name in Erased.model_fields if name in item},
        }
    )


@dataclass(frozen=True)
class DynamoErasures:
    """Store the progress of erasures (deletions of all data of a user). Implements ``ports.users.Erasures``."""

    table: Table

    def begin(self, user: UserName, now: datetime) -> Erasure:
        removed = ", ".join(["finished_at", "#ttl", *Erased.model_fields])
        with suppress(ConditionFailed):
            self.table.update(
                _pk(user),
                _SK,
                expression=f"SET started_at = :now, late = :none, expiry_bucket = :bucket, expires_at = :at "
                f"REMOVE {removed}",
                condition="attribute_not_exists(pk) OR attribute_exists(finished_at)",
                values={"now": now.isoformat(), "none": "[]", "bucket": _EXPIRY_BUCKET, "at": int(now.timestamp())},
                names={"#ttl": "ttl"},
            )
        return self.get(user) or Erasure(user=user, started_at=now)

    def get(self, user: UserName) -> Erasure | None:
        item = self.table.get(_pk(user), _SK)
        return _erasure(user, item) if item else None

    def save_interrupted_turns(self, user: UserName, turns: Sequence[InterruptedTurn]) -> None:
        self._set(user, "SET late = :late", {"late": json.dumps([turn.model_dump() for turn in turns])})

    def reschedule(self, user: UserName, at: datetime) -> None:
        self._set(user, "SET expires_at = :at", {"at": int(at.timestamp())})

    def finish(self, user: UserName, now: datetime) -> None:
        """Mark an erasure as finished, and remove it from the expiry index so that it is not resumed."""
        ttl = int((now + _RETENTION).timestamp())
        expression = "SET finished_at = :now, #ttl = :ttl REMOVE expiry_bucket, expires_at"
        self._set(user, expression, {"now": now.isoformat(), "ttl": ttl}, {"#ttl": "ttl"})

    def list_due(self, until: datetime, limit: int) -> Sequence[UserName]:
        items = self.table.query_expired(_EXPIRY_BUCKET, int(until.timestamp()), limit)
        return [UserName(str(item["pk"]).partition("#")[2]) for item in items]

    def _set(
        self, user: UserName, expression: str, values: dict[str, str | int | bool], names: dict[str, str] | None = None
    ) -> None:
        """Update the record of a running erasure. Do nothing if another process has finished the erasure."""
        with suppress(ConditionFailed):
            condition = "attribute_exists(pk) AND attribute_not_exists(finished_at)"
            self.table.update(_pk(user), _SK, expression, condition, values, names)


@dataclass(frozen=True)
class DynamoUserPurger:
    """Delete all data of a user. Implements ``ports.users.UserPurger``.

    The partition ``USER#{user}`` is deleted last, because its items are needed to find the other partitions.
    """

    table: Table

    def erase(self, user: UserName, interrupted: Sequence[InterruptedTurn]) -> Iterator[int]:
        """Delete all items of a user in small steps. Yield how many items each step deleted.

        ``interrupted``: turns that ran when the erasure began. Their tool calls may still write items after the
        records of the turns are deleted, so this deletes such items too.
        """
        for turn in interrupted:
            yield from self._erase_turn(user, turn.turn_id)
            yield from self._erase_partition(user, f"SESSION#{turn.session_id}")
        yield from self._erase_sessions(user)
        for pk in (f"LIBRARY#{user}", f"USER#{user}"):
            yield from self._erase_partition(user, pk)

    def _erase_sessions(self, user: UserName) -> Iterator[int]:
        for item in self.table.iterate(Query(f"USER#{user}", SESSION_PREFIX, _SESSION_PAGE_SIZE)):
            yield from self._erase_session(user, str(item["sk"]))
            yield self._delete(user, [item])

    def _erase_session(self, user: UserName, pk: str) -> Iterator[int]:
        for turn in self.table.iterate(Query(pk, TURN_PREFIX, _PAGE_SIZE)):
            yield from self._erase_turn(user, TurnId(str(turn["sk"]).removeprefix(TURN_PREFIX)))
        yield from self._erase_partition(user, pk)

    def _erase_turn(self, user: UserName, turn_id: TurnId) -> Iterator[int]:
        yield from self._erase_partition(user, f"CALLS#{turn_id}")
        yield from self._erase_partition(user, f"TURN#{turn_id}")

    def _erase_partition(self, user: UserName, pk: str) -> Iterator[int]:
        while True:
            items, _ = self.table.query(Query(pk, limit=_PAGE_SIZE))
            if not items:
                return
            yield self._delete(user, items)

    def _delete(self, user: UserName, items: Sequence[Item]) -> int:
        """Delete items in one transaction and return their number. If it fails, delete none and return 0."""
        counts = Counter(name for item in items if (name := _counter_name(item)))
        writes = [self.table.build_delete(str(item["pk"]), str(item["sk"]), if_present=True) for item in items]
        if counts:
            writes.append(self.table.build_add(_pk(user), _SK, counts))
        try:
            self.table.transact(writes)
        except (ConditionFailed, WriteConflict):
            wait_before_retry()
            return 0
        return len(items)


def _counter_name(item: Item) -> str | None:
    """Return the name of the counter for an item, or None if items of this kind are not counted."""
    pk, sk = str(item["pk"]).partition("#")[0], str(item["sk"]).partition("#")[0]
    return _COUNTER_NAMES.get((pk, sk))
