"""The use cases of this process with the real adapters, for all handlers except the runner's."""

from functools import lru_cache

from satchel.adapters import clients
from satchel.adapters.signing_keys import SecretRotation
from satchel.bootstrap.aws_ports import AwsPorts
from satchel.settings import Settings
from satchel.use_cases import UseCases


@lru_cache
def use_cases() -> UseCases:
    """Return the use cases of this process."""
    settings = Settings()
    return UseCases(ports=AwsPorts(settings), settings=settings)


@lru_cache
def secret_rotation() -> SecretRotation:
    """Return the rotation of the signing keys."""
    return SecretRotation(clients.secrets())
