"""Erasures: ``ERASURE#{user} / ERASURE``, in the expiry index as ``erasures`` while they last, then with a ``ttl``.

They lie outside the person's own partition, which they empty. What is deleted is counted in the same transaction.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, pause
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.sessions import PREFIX as SESSION
from satchel.adapters.dynamodb.table import Query, Table
from satchel.adapters.dynamodb.turns import PREFIX as TURN
from satchel.domain.ids import TurnId, UserName
from satchel.domain.users import Erased, Erasure, LateTurn

_BUCKET = "erasures"
_SK = "ERASURE"
_TOLD_FOR = timedelta(days=7)
_AT_ONCE = 99  # and one that counts them: a transaction takes 100 writes
_SESSIONS_AT_ONCE = 25
_COUNTED = {
    ("USER", "FILE"): "files",
    ("USER", "VERSION"): "versions",
    ("USER", "SESSION"): "sessions",
    ("USER", "LINK"): "links",
    ("SESSION", "TURN"): "turns",
    ("TURN", "EVENT"): "events",
}


def _pk(user: UserName) -> str:
    return f"ERASURE#{user}"


def _erasure_of(user: UserName, item: Item) -> Erasure:
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
    """Implements ``ports.erasing.Erasures``."""

    table: Table

    def begin(self, user: UserName, now: datetime) -> Erasure:
        """Write a new one over one that is finished."""
        forgotten = ", ".join(["finished_at", "#ttl", *Erased.model_fields])
        with suppress(ConditionFailed):
            self.table.update(
                _pk(user),
                _SK,
                expression=f"SET started_at = :now, late = :none, expiry_bucket = :bucket, expires_at = :at "
                f"REMOVE {forgotten}",
                condition="attribute_not_exists(pk) OR attribute_exists(finished_at)",
                values={"now": now.isoformat(), "none": "[]", "bucket": _BUCKET, "at": int(now.timestamp())},
                names={"#ttl": "ttl"},
            )
        return self.get(user) or Erasure(user=user, started_at=now)

    def get(self, user: UserName) -> Erasure | None:
        """Return the last one of this person."""
        item = self.table.get(_pk(user), _SK)
        return _erasure_of(user, item) if item else None

    def note(self, user: UserName, late: Sequence[LateTurn]) -> None:
        """Write which turns were running."""
        self._set(user, "SET late = :late", {"late": json.dumps([turn.model_dump() for turn in late])})

    def look_again(self, user: UserName, at: datetime) -> None:
        """Say when it is due next."""
        self._set(user, "SET expires_at = :at", {"at": int(at.timestamp())})

    def finish(self, user: UserName, now: datetime) -> None:
        """Take it out of the index."""
        gone = int((now + _TOLD_FOR).timestamp())
        expression = "SET finished_at = :now, #ttl = :gone REMOVE expiry_bucket, expires_at"
        self._set(user, expression, {"now": now.isoformat(), "gone": gone}, {"#ttl": "ttl"})

    def due(self, until: datetime, limit: int) -> Sequence[UserName]:
        """Return whose erasures were to be looked at by then."""
        due = self.table.due(_BUCKET, int(until.timestamp()), limit)
        return [UserName(str(item["pk"]).partition("#")[2]) for item in due]

    def _set(
        self, user: UserName, expression: str, values: dict[str, str | int | bool], names: dict[str, str] | None = None
    ) -> None:
        """Change one that is not finished; of one that somebody else has finished nothing is left to say."""
        with suppress(ConditionFailed):
            condition = "attribute_exists(pk) AND attribute_not_exists(finished_at)"
            self.table.update(_pk(user), _SK, expression, condition, values, names or {})


@dataclass(frozen=True)
class DynamoUserPurger:
    """Implements ``ports.erasing.UserPurger``: whole partitions, the person's own last."""

    table: Table

    def erase(self, user: UserName, late: Sequence[LateTurn]) -> Iterator[int]:
        """Delete all of them, and what turns that were running wrote when their records had gone."""
        for turn in late:
            yield from self._turn(user, turn.turn_id)
            yield from self._clear(user, f"SESSION#{turn.session_id}")
        yield from self._sessions(user)
        for pk in (f"LIBRARY#{user}", f"USER#{user}"):
            yield from self._clear(user, pk)

    def _sessions(self, user: UserName) -> Iterator[int]:
        after: str | None = None
        while True:
            items, after = self.table.query(Query(f"USER#{user}", SESSION, _SESSIONS_AT_ONCE, after))
            for item in items:
                yield from self._session(user, str(item["sk"]))
                yield self._delete(user, [item])
            if after is None:
                return

    def _session(self, user: UserName, pk: str) -> Iterator[int]:
        after: str | None = None
        while True:
            turns, after = self.table.query(Query(pk, TURN, _AT_ONCE, after))
            for turn in turns:
                yield from self._turn(user, TurnId(str(turn["sk"]).removeprefix(TURN)))
            if after is None:
                break
        yield from self._clear(user, pk)

    def _turn(self, user: UserName, turn_id: TurnId) -> Iterator[int]:
        yield from self._clear(user, f"CALLS#{turn_id}")
        yield from self._clear(user, f"TURN#{turn_id}")

    def _clear(self, user: UserName, pk: str) -> Iterator[int]:
        while True:
            items, _ = self.table.query(Query(pk, limit=_AT_ONCE))
            if not items:
                return
            yield self._delete(user, items)

    def _delete(self, user: UserName, items: Sequence[Item]) -> int:
        """Delete items that are there, and count them; where somebody else was quicker, they are looked for again."""
        counts = Counter(kind for item in items if (kind := _counted(item)))
        writes = [self.table.writes_delete(str(item["pk"]), str(item["sk"]), present=True) for item in items]
        if counts:
            writes.append(self.table.writes_add(_pk(user), _SK, counts))
        try:
            self.table.transact(writes)
        except (ConditionFailed, WriteConflict):
            pause()
            return 0
        return len(items)


def _counted(item: Item) -> str | None:
    pk, sk = str(item["pk"]).partition("#")[0], str(item["sk"]).partition("#")[0]
    return _COUNTED.get((pk, sk))
