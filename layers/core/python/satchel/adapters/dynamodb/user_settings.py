"""Stores what a user has set for all chats as the item ``USER#{user} / SETTINGS``. Erasing the user deletes it."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, tries
from satchel.adapters.dynamodb.erasure_fence import transact_unless_erasing
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Table
from satchel.domain.errors import Unavailable
from satchel.domain.ids import UserName
from satchel.domain.users import UserSettings
from satchel.ports.users import SettingsCheck, accept_any

_MAX_TRIES = 20


def _settings(item: Item | None) -> UserSettings:
    return UserSettings.model_validate_json(str(item["doc"])) if item else UserSettings()


def _key(user: UserName) -> tuple[str, str]:
    return f"USER#{user}", "SETTINGS"


@dataclass(frozen=True)
class DynamoUserSettings:
    """Store the settings of users. Implements ``ports.users.UserSettingsStore``."""

    table: Table

    def get(self, user: UserName) -> UserSettings:
        return _settings(self.table.get(*_key(user)))

    def save(self, user: UserName, settings: UserSettings, now: datetime, check: SettingsCheck = accept_any) -> None:
        pk, sk = _key(user)
        after: Item = {"pk": pk, "sk": sk, "doc": settings.model_dump_json()}
        for _ in tries(_MAX_TRIES):
            before = self.table.get(pk, sk)
            check(_settings(before))
            put = (
                self.table.build_put_if(after, "doc", str(before["doc"]))
                if before
                else self.table.build_put(after, if_absent=True)
            )
            with suppress(ConditionFailed, WriteConflict):
                return transact_unless_erasing(self.table, user, now, [put])
        raise Unavailable("Other requests are changing your settings; try again.")
