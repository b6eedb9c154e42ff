"""Counts what a user has in use, for the quotas.

| item | attributes |
|---|---|
| ``USER#{user} / QUOTA`` | ``open_sessions``; ``uploads`` and ``upload_bytes``: uploads in progress |
| ``USER#{user} / TURNS#{minute}`` | ``turns``: turns that started in this minute of the clock; deleted by ``ttl`` |
| ``USER#{user} / SLOT#{n}`` | ``call_id``: a running tool call, counted until ``until`` at most; deleted by ``ttl`` |

None of them can drift. The counters change in the transaction that creates or ends what they count. A slot belongs to
one call, which frees it; if that never happens, the slot is free again at ``until``.
"""

import random
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, tries
from satchel.adapters.dynamodb.table import Table
from satchel.domain.ids import CallId, UserName
from satchel.domain.quotas import CALL_LEASE, UserActivity, end_of_minute, minute_of

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from satchel.adapters.dynamodb.items import Item

_SLOT_PREFIX = "SLOT#"
_TTL = timedelta(hours=1)
_MAX_TRIES = 20


def quota_key(user: UserName) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of the item that counts a user's open sessions and uploads."""
    return f"USER#{user}", "QUOTA"


def _minute_key(user: UserName, time: datetime) -> tuple[str, str]:
    return f"USER#{user}", f"TURNS#{minute_of(time)}"


def build_session_start(table: Table, user: UserName, limit: int | None) -> "TransactWriteItemTypeDef":
    """Build the write that counts a new session. It fails if the user has ``limit`` open sessions."""
    if limit is None:
        return table.build_add(*quota_key(user), {"open_sessions": 1})
    return table.build_update(
        *quota_key(user),
        expression="ADD open_sessions :one",
        condition="attribute_not_exists(open_sessions) OR open_sessions < :limit",
        values={"one": 1, "limit": limit},
    )


def build_session_end(table: Table, user: UserName) -> "TransactWriteItemTypeDef":
    """Build the write that counts the end of a session."""
    return table.build_add(*quota_key(user), {"open_sessions": -1})


def build_turn_start(table: Table, user: UserName, now: datetime, limit: int) -> "TransactWriteItemTypeDef":
    """Build the write that counts a new turn. It fails if the user has started ``limit`` turns in this minute."""
    return table.build_update(
        *_minute_key(user, now),
        expression="ADD turns :one SET #ttl = :ttl",
        condition="attribute_not_exists(turns) OR turns < :limit",
        values={"one": 1, "limit": limit, "ttl": int((end_of_minute(now) + _TTL).timestamp())},
        names={"#ttl": "ttl"},
    )


def build_upload_start(table: Table, user: UserName, size: int, before: UserActivity) -> "TransactWriteItemTypeDef":
    """Build the write that counts a new upload. It fails if the user's uploads are not those of ``before`` any more."""
    is_unchanged = "uploads = :uploads AND upload_bytes = :bytes"
    is_first = " OR attribute_not_exists(uploads)" if before == UserActivity() else ""
    return table.build_update(
        *quota_key(user),
        expression="ADD uploads :one, upload_bytes :size",
        condition=is_unchanged + is_first,
        values={"one": 1, "size": size, "uploads": before.uploads, "bytes": before.upload_bytes},
    )


def build_upload_end(table: Table, user: UserName, size: int) -> "TransactWriteItemTypeDef":
    """Build the write that counts the end of an upload of ``size`` bytes."""
    return table.build_add(*quota_key(user), {"uploads": -1, "upload_bytes": -size})


def read_uploads(table: Table, user: UserName) -> UserActivity:
    """Return the number and the size of the user's uploads in progress. The other counts are 0."""
    item = table.get(*quota_key(user)) or {}
    return UserActivity(uploads=int(item.get("uploads", 0)), upload_bytes=int(item.get("upload_bytes", 0)))


@dataclass(frozen=True)
class DynamoQuotaCounts:
    """Count what a user has in use. Implements ``ports.quotas.QuotaCounts``."""

    table: Table

    def read(self, user: UserName, now: datetime) -> UserActivity:
        keys = [quota_key(user), _minute_key(user, now)]
        counters: Item = {name: value for item in self.table.get_many(keys) for name, value in item.items()}
        names = ("open_sessions", "uploads", "upload_bytes")
        counts = {name: max(0, int(counters.get(name, 0))) for name in names}
        return UserActivity(
            **counts, turns_in_minute=int(counters.get("turns", 0)), running_calls=len(self._busy_slots(user, now))
        )

    def start_call(self, user: UserName, call_id: CallId, limit: int, now: datetime) -> bool:
        """Take a free slot for the call. Return False if all ``limit`` slots are taken.

        Of several calls that see the same free slot, only one gets it; the others look for another one.
        """
        for _ in tries(_MAX_TRIES):
            busy = self._busy_slots(user, now)
            if call_id in busy.values():
                return True
            free = [number for number in range(limit) if number not in busy]
            if len(busy) >= limit:
                return False
            with suppress(ConditionFailed, WriteConflict):
                self._take(user, random.choice(free), call_id, now)  # noqa: S311  (spreads writers; not for security)
                return True
        return False

    def _take(self, user: UserName, number: int, call_id: CallId, now: datetime) -> None:
        until = int((now + CALL_LEASE).timestamp())
        self.table.update(
            f"USER#{user}",
            f"{_SLOT_PREFIX}{number}",
            expression="SET call_id = :call, #until = :until, #ttl = :ttl",
            condition="attribute_not_exists(pk) OR #until <= :now",
            values={"call": call_id, "until": until, "ttl": until, "now": int(now.timestamp())},
            names={"#until": "until", "#ttl": "ttl"},
        )

    def end_calls(self, user: UserName, call_ids: Collection[CallId]) -> None:
        """Free the slots of these calls. Calls without a slot are ignored."""
        for item in self.table.query_all(f"USER#{user}", _SLOT_PREFIX):
            if item["call_id"] in call_ids and item["until"] != 0:
                with suppress(ConditionFailed):
                    self.table.update(
                        str(item["pk"]),
                        str(item["sk"]),
                        expression="SET #until = :free",
                        condition="call_id = :call",
                        values={"free": 0, "call": str(item["call_id"])},
                        names={"#until": "until"},
                    )

    def _busy_slots(self, user: UserName, now: datetime) -> dict[int, str]:
        """Return the calls that hold a slot, by the slot's number."""
        slots = self.table.query_all(f"USER#{user}", _SLOT_PREFIX)
        busy = (item for item in slots if int(item["until"]) > now.timestamp())
        return {int(str(item["sk"]).removeprefix(_SLOT_PREFIX)): str(item["call_id"]) for item in busy}
