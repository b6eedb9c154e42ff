"""Deletes all items of a user for an erasure, and counts them in the record of the erasure (``users``)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.calls import PREFIX as CALL_PREFIX
from satchel.adapters.dynamodb.chat_links import PREFIX as CHAT_LINK_PREFIX
from satchel.adapters.dynamodb.chat_links import parse_chat_link, pointer_key
from satchel.adapters.dynamodb.chat_words import session_prefix as words_prefix
from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, tries
from satchel.adapters.dynamodb.erasure_fence import IS_CLEARING, IS_CURRENT, erasure_key, started
from satchel.adapters.dynamodb.items import Item, runner_partition
from satchel.adapters.dynamodb.sessions import DELETED_PREFIX, session_partition
from satchel.adapters.dynamodb.sessions import PREFIX as SESSION_PREFIX
from satchel.adapters.dynamodb.table import Query, Table
from satchel.adapters.dynamodb.turns import PREFIX as TURN_PREFIX
from satchel.domain.errors import Unavailable
from satchel.domain.ids import CallId, SessionId, TurnId
from satchel.domain.users import Erasure

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

_PAGE_SIZE = 99  # a transaction is limited to 100 writes, and one of them updates the counters
_SESSION_PAGE_SIZE = 25
_MAX_TRIES = 50
_COUNTER_NAMES = {  # the counter of each kind of item, by the first parts of the item's partition key and sort key
    ("USER", "FILE"): "files",
    ("USER", "VERSION"): "versions",
    ("USER", "SESSION"): "sessions",
    ("USER", "LINK"): "links",
    ("USER", "CHATLINK"): "links",
    ("SESSION", "TURN"): "turns",
    ("TURN", "EVENT"): "events",
}


class _Superseded(Exception):
    """Another process has completed this part of the erasure, or a newer erasure has started."""


@dataclass(frozen=True)
class DynamoUserPurger:
    """Delete the items of a user. Implements ``ports.users.UserPurger``."""

    table: Table

    def erase(self, erasure: Erasure) -> Iterator[int]:
        """Delete all items of the user in small steps, and yield the number of each step.

        The partition ``USER#{user}`` is deleted last, because its items are needed to find the other partitions.
        """
        with suppress(_Superseded):
            yield from self._erase_all(_Deletion(self.table, erasure, IS_CLEARING))

    def erase_late_writes(self, erasure: Erasure) -> Iterator[int]:
        """Delete the items of the stopped turns and of their sessions, and yield the number of each step."""
        with suppress(_Superseded):
            yield from self._erase_late_writes(_Deletion(self.table, erasure, IS_CURRENT))

    def list_call_ids(self, turn_id: TurnId) -> Sequence[CallId]:
        return _list_call_ids(self.table, turn_id)

    def _erase_all(self, deletion: "_Deletion") -> Iterator[int]:
        user = deletion.erasure.user
        for item in chain(
            self.table.iterate(Query(f"USER#{user}", SESSION_PREFIX, _SESSION_PAGE_SIZE)),
            self.table.iterate(Query(f"USER#{user}", DELETED_PREFIX, _SESSION_PAGE_SIZE)),
        ):
            pk = session_partition(SessionId(str(item["sk"]).partition("#")[2]))
            for turn in self.table.iterate(Query(pk, TURN_PREFIX, _PAGE_SIZE)):
                yield from deletion.delete_turn(TurnId(str(turn["sk"]).removeprefix(TURN_PREFIX)))
            yield from deletion.delete_partition(pk)
            yield deletion.delete([item])
        for item in self.table.iterate(Query(f"USER#{user}", CHAT_LINK_PREFIX, _PAGE_SIZE)):
            yield from deletion.delete_partition(pointer_key(parse_chat_link(item))[0])
        for pk in (f"LIBRARY#{user}", f"USER#{user}"):
            yield from deletion.delete_partition(pk)

    def _erase_late_writes(self, deletion: "_Deletion") -> Iterator[int]:
        erasure = deletion.erasure
        for turn in erasure.late:
            yield from deletion.delete_turn(turn.turn_id, turn.call_ids)
        for session_id in {turn.session_id for turn in erasure.late}:
            yield from deletion.delete_partition(f"{SESSION_PREFIX}{session_id}")
            yield from deletion.delete_partition(f"USER#{erasure.user}", words_prefix(session_id))
            for canvas in self.table.iterate(Query(f"USER#{erasure.user}", "CANVAS#")):
                if str(canvas["sk"]).endswith(f"/{session_id}"):
                    yield deletion.delete([canvas])


@dataclass(frozen=True)
class _Deletion:
    """Delete items as long as ``condition`` is true for the record of the erasure; then raise _Superseded.

    So a process that still runs when the erasure is complete deletes nothing that the user has stored since.
    """

    table: Table
    erasure: Erasure
    condition: str

    def delete_turn(self, turn_id: TurnId, late: Sequence[CallId] = ()) -> Iterator[int]:
        """Delete the items of a turn. ``late``: calls that may write even after their records were deleted."""
        for call_id in dict.fromkeys([*late, *_list_call_ids(self.table, turn_id)]):
            yield from self.delete_partition(runner_partition(call_id))
        yield from self.delete_partition(f"CALLS#{turn_id}")
        yield from self.delete_partition(f"TURN#{turn_id}")

    def delete_partition(self, pk: str, prefix: str = "") -> Iterator[int]:
        """Delete the items of a partition whose sort keys begin with ``prefix``."""
        while True:
            items, _ = self.table.query(Query(pk, prefix, _PAGE_SIZE))
            if not items:
                return
            yield self.delete(items)

    def delete(self, items: Sequence[Item]) -> int:
        """Delete items in one transaction and return their number, or 0 if another process has deleted one of them."""
        deletes = [self.table.build_delete(str(item["pk"]), str(item["sk"]), if_present=True) for item in items]
        count = self._build_count(Counter(name for item in items if (name := _counter_name(item))))
        for _ in tries(_MAX_TRIES):
            try:
                self.table.transact([*deletes, count])
            except WriteConflict:
                continue
            except ConditionFailed as error:
                if len(deletes) in error.positions:
                    raise _Superseded from error
                return 0
            else:
                return len(items)
        raise Unavailable("Other writers are changing the user's data; try again.")

    def _build_count(self, counts: Counter[str]) -> "TransactWriteItemTypeDef":
        """Build the write that counts deleted items in the record of the erasure, if ``condition`` is true for it."""
        key, condition, values = erasure_key(self.erasure.user), self.condition, {"started": started(self.erasure)}
        if not counts:
            return self.table.build_condition(*key, condition, values)
        return self.table.build_update(
            *key,
            expression="ADD " + ", ".join(f"#{name} :{name}" for name in counts),
            condition=condition,
            values={**values, **counts},
            names={f"#{name}": name for name in counts},
        )


def _list_call_ids(table: Table, turn_id: TurnId) -> list[CallId]:
    items = table.iterate(Query(f"CALLS#{turn_id}", CALL_PREFIX, _PAGE_SIZE))
    return [CallId(str(item["sk"]).removeprefix(CALL_PREFIX)) for item in items]


def _counter_name(item: Item) -> str | None:
    """Return the name of the counter for an item, or None if items of this kind are not counted."""
    pk, sk = str(item["pk"]).partition("#")[0], str(item["sk"]).partition("#")[0]
    return _COUNTER_NAMES.get((pk, sk))
