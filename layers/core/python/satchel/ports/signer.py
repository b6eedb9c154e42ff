"""Signs and reads capabilities."""

from typing import Protocol

from satchel.domain.capabilities import Audience, CanvasClaims, Claims, EraseClaims


class Signer(Protocol):
    """Makes tokens that nobody else can make."""

    def sign(self, claims: Claims | CanvasClaims | EraseClaims) -> str:
        """Return the token."""
        ...

    def read(self, token: str, audiences: tuple[Audience, ...]) -> Claims | None:
        """Return what a valid token of a file for one of these audiences says; None for any other token."""
        ...

    def read_confirmation(self, token: str) -> EraseClaims | None:
        """Return what a valid token of an erasure says; None for any other token."""
        ...
