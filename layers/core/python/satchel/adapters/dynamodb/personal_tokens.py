"""Stores personal tokens as items ``USER#{user} / TOKEN#{token_id}``, with ``ttl``. Erasing the user deletes them.

The item ``USER#{user} / TOKENS`` has a version, which every new token increments: so two requests at the same time
never both get the last place.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, tries
from satchel.adapters.dynamodb.erasure_fence import transact_unless_erasing
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.errors import RequestRunning, TooManyTokens, Unavailable
from satchel.domain.ids import TokenId, UserName
from satchel.domain.personal_tokens import PersonalToken

_PREFIX = "TOKEN#"
_VERSION = "TOKENS"
_PAGE_SIZE = 100
_MAX_TRIES = 20


def _key(user: UserName, token_id: TokenId) -> tuple[str, str]:
    return f"USER#{user}", f"{_PREFIX}{token_id}"


def _token(item: Item) -> PersonalToken:
    token = PersonalToken.model_validate_json(str(item["doc"]))
    if "used_at" not in item:
        return token
    return token.model_copy(update={"last_used_at": datetime.fromtimestamp(int(item["used_at"]), UTC)})


@dataclass(frozen=True)
class DynamoPersonalTokens:
    """Store personal tokens in the table. Implements ``ports.users.PersonalTokens``."""

    table: Table

    def add(self, token: PersonalToken, limit: int) -> None:
        pk, sk = _key(token.user, token.token_id)
        item: Item = {"pk": pk, "sk": sk, "doc": token.model_dump_json(), "ttl": int(token.expires_at.timestamp())}
        put = self.table.build_put(item, if_absent=True)
        for _ in tries(_MAX_TRIES):
            version = int((self.table.get(pk, _VERSION) or {}).get("version", 0))
            valid = [each for each in self.list(token.user) if token.created_at < each.expires_at]
            if len(valid) >= limit:
                raise TooManyTokens(limit)
            count = self.table.build_update(
                pk,
                _VERSION,
                expression="ADD #version :one",
                condition="#version = :before" + (" OR attribute_not_exists(pk)" if version == 0 else ""),
                values={"one": 1, "before": version},
                names={"#version": "version"},
            )
            with suppress(ConditionFailed, WriteConflict):
                return transact_unless_erasing(self.table, token.user, token.created_at, [put, count])
        raise Unavailable("Other requests are making tokens; try again.")

    def get(self, user: UserName, token_id: TokenId) -> PersonalToken | None:
        item = self.table.get(*_key(user, token_id))
        return _token(item) if item else None

    def replace(self, old: PersonalToken, new: PersonalToken) -> None:
        try:
            self.table.update(
                *_key(new.user, new.token_id),
                expression="SET doc = :doc",
                condition="contains(doc, :digest) AND attribute_not_exists(used_at)",
                values={"doc": new.model_dump_json(), "digest": old.digest},
            )
        except (ConditionFailed, WriteConflict) as error:
            raise RequestRunning from error

    def list(self, user: UserName) -> Sequence[PersonalToken]:
        items = self.table.iterate(Query(f"USER#{user}", _PREFIX, _PAGE_SIZE, newest_first=True))
        return [_token(item) for item in items]

    def remove(self, user: UserName, token_id: TokenId) -> None:
        self.table.delete(*_key(user, token_id))

    def mark_used(self, user: UserName, token_id: TokenId, at: datetime) -> None:
        with suppress(ConditionFailed, WriteConflict):
            self.table.update(
                *_key(user, token_id),
                expression="SET used_at = :at",
                condition="attribute_exists(pk)",
                values={"at": int(at.timestamp())},
            )
