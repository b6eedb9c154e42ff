"""Stores what a user has set for all chats as the item ``USER#{user} / SETTINGS``. Erasing the user deletes it."""

from dataclasses import dataclass
from datetime import datetime

from satchel.adapters.dynamodb.erasure_fence import transact_unless_erasing
from satchel.adapters.dynamodb.table import Table
from satchel.domain.ids import UserName
from satchel.domain.users import UserSettings


def _key(user: UserName) -> tuple[str, str]:
    return f"USER#{user}", "SETTINGS"


@dataclass(frozen=True)
class DynamoUserSettings:
    """Store the settings of users. Implements ``ports.users.UserSettingsStore``."""

    table: Table

    def get(self, user: UserName) -> UserSettings:
        item = self.table.get(*_key(user))
        return UserSettings.model_validate_json(str(item["doc"])) if item else UserSettings()

    def save(self, user: UserName, settings: UserSettings, now: datetime) -> None:
        pk, sk = _key(user)
        put = self.table.build_put({"pk": pk, "sk": sk, "doc": settings.model_dump_json()})
        transact_unless_erasing(self.table, user, now, [put])
