"""Read and change what a user has set for all of their chats."""

from dataclasses import dataclass

from satchel.domain.users import Identity, UserSettings
from satchel.ports.system import Clock
from satchel.ports.users import SettingsCheck, UserSettingsStore, accept_any


@dataclass(frozen=True)
class UserSettingsAccess:
    """Read and replace the settings of a user. Chats that start later use them."""

    store: UserSettingsStore
    clock: Clock

    def read(self, who: Identity) -> UserSettings:
        """Return the user's settings, or the defaults."""
        return self.store.get(who.name)

    def replace(self, who: Identity, settings: UserSettings, check: SettingsCheck = accept_any) -> None:
        """Store the settings, unless ``check`` raises an error for those that are stored. Raise ErasureRunning."""
        self.store.save(who.name, settings, self.clock.now(), check)
