"""Refuses to store data of a user while all data of that user is being erased.

The item ``ERASURE#{user} / ERASURE`` has the attribute ``accepts_from``: the time, in microseconds since 1970, from
which on requests of the user may begin to store data. It is infinite until all older data is deleted. A write checks it
in its own transaction, so nothing that was accepted is deleted by an erasure that started earlier.
"""

from datetime import datetime
from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.table import Table
from satchel.domain.errors import ErasureRunning
from satchel.domain.ids import UserName
from satchel.domain.users import Erasure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

NEVER = 10**18  # as a value of ``accepts_from``: later than any request
IS_CURRENT = "started_at = :started AND attribute_not_exists(finished_at)"
"""Condition of the record: this erasure (``started``) is neither finished nor superseded by a newer one."""

IS_CLEARING = "started_at = :started AND attribute_not_exists(cleared_at)"
"""Condition of the record: this erasure has not yet deleted all data that was stored before it."""


def erasure_key(user: UserName) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of the record of a user's latest erasure."""
    return f"ERASURE#{user}", "ERASURE"


def microseconds(at: datetime) -> int:
    """Return a time in microseconds since 1970."""
    return round(at.timestamp() * 1_000_000)


def started(erasure: Erasure) -> str:
    """Return the value of ``:started`` in the conditions of an erasure's record."""
    return erasure.started_at.isoformat()


def transact_unless_erasing(
    table: Table, user: UserName, begun_at: datetime, writes: "Sequence[TransactWriteItemTypeDef]"
) -> None:
    """Run the writes of a request that began at ``begun_at``, all or none.

    Raise ErasureRunning if an erasure of the user's data was not yet complete at that time. Also raise the errors of
    ``Table.transact``.
    """
    fence = table.build_condition(
        *erasure_key(user),
        condition="attribute_not_exists(accepts_from) OR accepts_from <= :begun",
        values={"begun": microseconds(begun_at)},
    )
    try:
        table.transact([*writes, fence])
    except ConditionFailed as error:
        if len(writes) in error.positions:
            raise ErasureRunning from error
        raise
