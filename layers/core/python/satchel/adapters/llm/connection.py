"""What a provider's file is given, and what it makes of it.

Keys of providers, from the environment or Secrets Manager.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from satchel.adapters.server_config import ConfigError, Values
from satchel.domain.llm import ModelAccessDenied


@dataclass(frozen=True)
class Wanted:
    """The model ``model_id`` of a provider, at its usual address or at ``base_url``.

    ``values`` finds keys by their names (ConfigError where there is none). ``silence_seconds``: a longer read is given
    up.
    """

    model_id: str
    values: Values
    base_url: str | None = None
    silence_seconds: float = 90.0


@dataclass(frozen=True)
class Connection:
    """A model that can be asked, the settings that its provider needs beside everybody's, and how to hang up."""

    model: Model
    settings: ModelSettings
    close: Callable[[], Awaitable[None]]


class Provider(Protocol):
    """What a provider's file is: it has ``connect``. The model must not try again by itself: ``patient`` does that."""

    def connect(self, wanted: Wanted) -> Connection:
        """Make ready to ask. Raises ModelAccessDenied where the key is missing."""
        ...


CONNECT_SECONDS = 10.0


def key_of(wanted: Wanted, name: str, *, instead: str | None = None) -> str:
    """Return the key of this name, or ``instead`` where there is none. Raises ModelAccessDenied."""
    try:
        return wanted.values(name)
    except ConfigError as error:
        if instead is not None:
            return instead
        raise ModelAccessDenied(f"{name} is not set") from error
