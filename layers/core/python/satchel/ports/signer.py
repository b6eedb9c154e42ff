"""Signs and reads capabilities."""

from typing import Protocol

from satchel.domain.capabilities import Audience, Claims


class Signer(Protocol):
    """Makes tokens that nobody else can make."""

    def sign(self, claims: Claims) -> str:
        """Return the token."""
        ...

    def read(self, token: str, audiences: tuple[Audience, ...]) -> Claims | None:
        """Return what a valid token for one of these audiences says; None for any other, whatever is wrong with it."""
        ...
