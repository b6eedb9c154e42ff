"""How well this machine walls tools in: looked at once a process."""

from functools import lru_cache

from satchel.adapters.sandbox.probe import find_layers
from satchel.domain.isolation import Isolation
from satchel.settings import IsolationSettings


class TooOpenError(ValueError):
    """The kernel does not hold the walls that the settings ask for."""


@lru_cache
def isolation() -> Isolation:
    """Return what this machine's kernel holds."""
    return find_layers()


def enough_isolation() -> Isolation:
    """Return it where it is enough to run tools. Raises TooOpenError where it is less than what is asked for."""
    found, least = isolation(), IsolationSettings().min_isolation
    if not found.reaches(least):
        raise TooOpenError(
            f"SATCHEL_MIN_ISOLATION asks for the level {least!r}, but this machine holds {found.level!r} only: "
            "`satchel doctor` says what is missing"
        )
    return found
