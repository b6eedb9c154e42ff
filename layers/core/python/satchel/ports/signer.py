"""Signs and reads capabilities."""

from typing import Protocol

from satchel.domain.capabilities import Audience, CanvasClaims, Claims


class Signer(Protocol):
    """Makes tokens that nobody else can make."""

    def sign(self, claims: Claims | CanvasClaims) -> str:
        """Return the token."""
        ...

    def read(self, token: str, audiences: tuple[Audience, ...]) -> Claims | None:
        """Return what a valid token of a file for one of these audiences says; None for any other token."""
        ...
