"""Counts what a user has in use, for the quotas.

| item | attributes |
|---|---|
| ``USER#{user} / QUOTA`` | ``open_sessions``; ``uploads`` and ``upload_bytes``: uploads in progress |
| ``USER#{user} / TURNS#{minute}`` | ``turns``, ``app_calls``: turns of users and apps that started in it |
| ``USER#{user} / SLOT#{n}`` | ``call_id``: a running tool call, counted until ``until`` at most; deleted by ``ttl`` |

None of them can drift. The counters change in the transaction that creates or ends what they count. A slot belongs to
one call, which frees it; if that never happens, the slot is free again at ``until``.
"""

import random
import zlib
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.table import Table
from satchel.domain.calls import Call
from satchel.domain.ids import CallId, UserName
from satchel.domain.quotas import CALL_LEASE, UserActivity, end_of_minute, minute_of

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from satchel.adapters.dynamodb.items import Item

_SLOT_PREFIX = "SLOT#"
_TTL = timedelta(hours=1)


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
    return _build_start(table, user, now, limit, "turns")


def build_app_call_start(table: Table, user: UserName, now: datetime, limit: int) -> "TransactWriteItemTypeDef":
    """Build the write that counts a call of an app. It fails if the user's apps made ``limit`` calls in this minute."""
    return _build_start(table, user, now, limit, "app_calls")


def _build_start(table: Table, user: UserName, now: datetime, limit: int, counter: str) -> "TransactWriteItemTypeDef":
    return table.build_update(
        *_minute_key(user, now),
        expression=f"ADD {counter} :one SET #ttl = :ttl",
        condition=f"attribute_not_exists({counter}) OR {counter} < :limit",
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
            **counts,
            turns_in_minute=int(counters.get("turns", 0)),
            running_calls=len(_busy_slots(self.table, user, now)),
        )

    def end_calls(self, user: UserName, call_ids: Collection[CallId]) -> None:
        """Free the slots of these calls. Calls without a slot are ignored."""
        for item in self.table.query_all(f"USER#{user}", _SLOT_PREFIX):
            if item["call_id"] in call_ids and item["until"] != 0:
                slot = int(str(item["sk"]).removeprefix(_SLOT_PREFIX))
                with suppress(ConditionFailed):
                    self.table.transact([build_call_end(self.table, user, CallId(str(item["call_id"])), slot)])


def build_call_start(
    table: Table, user: UserName, call_id: CallId, slot: int, now: datetime
) -> "TransactWriteItemTypeDef":
    """Build the write that counts a call as running. It fails if another call holds the slot."""
    until = int((now + CALL_LEASE).timestamp())
    return table.build_update(
        f"USER#{user}",
        f"{_SLOT_PREFIX}{slot}",
        expression="SET call_id = :call, #until = :until, #ttl = :ttl",
        condition="attribute_not_exists(pk) OR #until <= :now",
        values={"call": call_id, "until": until, "ttl": until, "now": int(now.timestamp())},
        names={"#until": "until", "#ttl": "ttl"},
    )


def build_call_end(table: Table, user: UserName, call_id: CallId, slot: int) -> "TransactWriteItemTypeDef":
    """Build the write that frees a call's slot. It fails if the slot belongs to another call now."""
    return table.build_update(
        f"USER#{user}",
        f"{_SLOT_PREFIX}{slot}",
        expression="SET #until = :free",
        condition="call_id = :call",
        values={"free": 0, "call": call_id},
        names={"#until": "until"},
    )


def first_slot(call: Call, limit: int) -> int:
    """Return the slot that a call tries first. Calls of one round try different slots, so they rarely conflict."""
    return (zlib.crc32(call.turn_id.encode()) + call.index) % limit


def find_free_slot(table: Table, user: UserName, limit: int, now: datetime) -> int | None:
    """Return a slot that no running call holds, or None if there is none."""
    busy = _busy_slots(table, user, now)
    free = [number for number in range(limit) if number not in busy]
    return random.choice(free) if free and len(busy) < limit else None  # noqa: S311  (spreads writers; not for security)


def _busy_slots(table: Table, user: UserName, now: datetime) -> dict[int, str]:
    """Return the calls that hold a slot, by the slot's number."""
    slots = table.query_all(f"USER#{user}", _SLOT_PREFIX)
    busy = (item for item in slots if int(item["until"]) > now.timestamp())
    return {int(str(item["sk"]).removeprefix(_SLOT_PREFIX)): str(item["call_id"]) for item in busy}
