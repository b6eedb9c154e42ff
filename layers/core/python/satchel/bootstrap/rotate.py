"""What the rotate function is made of."""

from functools import lru_cache

from satchel.adapters import clients
from satchel.adapters.secret_rotation import SecretRotation


@lru_cache
def build() -> SecretRotation:
    """Return what rotates secrets, wired."""
    return SecretRotation(clients.secrets())
