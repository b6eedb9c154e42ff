"""Keys of providers, from the environment or Secrets Manager."""

from satchel.adapters.models.connection import Wanted
from satchel.adapters.server_config import ConfigError
from satchel.domain.model_errors import ModelAccessDenied


def key_of(wanted: Wanted, name: str, *, instead: str | None = None) -> str:
    """Return the key of this name, or ``instead`` where there is none. Raises ModelAccessDenied."""
    try:
        return wanted.values(name)
    except ConfigError as error:
        if instead is not None:
            return instead
        raise ModelAccessDenied(f"{name} is not set") from error
