"""Stores the progress of erasures as items ``ERASURE#{user} / ERASURE``.

The record of a running erasure is in the bucket ``erasures`` of the expiry index; after the erasure it has a ``ttl``
instead. An erasure does not delete its own record. Until all data is deleted, the record refuses new data of the user
(``erasure_fence``).
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, tries
from satchel.adapters.dynamodb.erasure_fence import (
    IS_CLEARING,
    IS_CURRENT,
    NEVER,
    erasure_key,
    microseconds,
    started,
)
from satchel.adapters.dynamodb.items import Item, Values
from satchel.adapters.dynamodb.table import Table
from satchel.domain.errors import Unavailable
from satchel.domain.ids import UserName
from satchel.domain.users import Erased, Erasure, InterruptedTurn

_EXPIRY_BUCKET = "erasures"
_RETENTION = timedelta(days=7)  # time until DynamoDB deletes the record of a finished erasure
_MAX_TRIES = 50


def parse_erasure(user: UserName, item: Item) -> Erasure:
    """Return the erasure that an item stores."""
    return Erasure.model_validate(
        {
            "user": user,
            "started_at": item["started_at"],
            "cleared_at": item.get("cleared_at"),
            "finished_at": item.get("finished_at"),
            "late": json.loads(str(item.get("late", "[]"))),
            "erased": {name: item[name] for name in Erased.model_fields if name in item},
        }
    )


@dataclass(frozen=True)
class DynamoErasures:
    """Store the progress of erasures (deletions of all data of a user). Implements ``ports.users.Erasures``."""

    table: Table

    def begin(self, user: UserName, now: datetime) -> Erasure:
        """Start a new erasure, unless one is still deleting the user's data. Return the running erasure.

        A new erasure takes over the stopped turns of an earlier one whose late writes are not deleted yet.
        """
        removed = ", ".join(["cleared_at", "finished_at", "#ttl", *Erased.model_fields])
        self._update(
            user,
            "SET started_at = :now, late = if_not_exists(late, :none), accepts_from = :never, expiry_bucket = :bucket, "
            f"expires_at = :at REMOVE {removed}",
            condition="attribute_not_exists(pk) OR attribute_exists(cleared_at) OR attribute_exists(finished_at)",
            values={
                "now": now.isoformat(),
                "none": "[]",
                "never": NEVER,
                "bucket": _EXPIRY_BUCKET,
                "at": int(now.timestamp()),
            },
            names={"#ttl": "ttl"},
        )
        return self.get(user) or Erasure(user=user, started_at=now)

    def get(self, user: UserName) -> Erasure | None:
        item = self.table.get(*erasure_key(user))
        return parse_erasure(user, item) if item else None

    def save_interrupted_turns(self, erasure: Erasure, turns: Sequence[InterruptedTurn]) -> None:
        late = json.dumps([turn.model_dump() for turn in turns])
        self._update(erasure.user, "SET late = :late", IS_CLEARING, {"late": late, "started": started(erasure)})

    def mark_cleared(self, erasure: Erasure, now: datetime) -> None:
        expression = "SET cleared_at = :now, accepts_from = :from"
        values: Values = {"now": now.isoformat(), "from": microseconds(now), "started": started(erasure)}
        self._update(erasure.user, expression, IS_CLEARING, values)

    def reschedule(self, user: UserName, at: datetime) -> None:
        condition = "attribute_exists(pk) AND attribute_not_exists(finished_at)"
        self._update(user, "SET expires_at = :at", condition, {"at": int(at.timestamp())})

    def finish(self, erasure: Erasure, now: datetime) -> None:
        """Mark an erasure as finished, and remove it from the expiry index so that it is not resumed."""
        ttl = int((now + _RETENTION).timestamp())
        expression = "SET finished_at = :now, #ttl = :ttl REMOVE expiry_bucket, expires_at, late"
        condition = f"{IS_CURRENT} AND attribute_exists(cleared_at)"
        values: Values = {"now": now.isoformat(), "ttl": ttl, "started": started(erasure)}
        self._update(erasure.user, expression, condition, values, {"#ttl": "ttl"})

    def list_due(self, until: datetime, limit: int) -> Sequence[UserName]:
        items = self.table.query_expired(_EXPIRY_BUCKET, int(until.timestamp()), limit)
        return [UserName(str(item["pk"]).partition("#")[2]) for item in items]

    def _update(
        self, user: UserName, expression: str, condition: str, values: Values, names: dict[str, str] | None = None
    ) -> None:
        """Update the record of an erasure. Do nothing if ``condition`` is false: another process took this step.

        Writes of the user that check the record at the same time conflict with the update, which is repeated.
        """
        for _ in tries(_MAX_TRIES):
            with suppress(WriteConflict):
                with suppress(ConditionFailed):
                    self.table.update(*erasure_key(user), expression, condition, values, names)
                return
        raise Unavailable("Other requests of the user are being stored; try again.")
