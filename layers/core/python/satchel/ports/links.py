"""What is kept of links, and what they rest on.

Signs and reads capabilities.
"""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.ids import LinkId, UserName
from satchel.domain.links import Audience, CanvasClaims, Claims, EraseClaims, LinkState, SharedLink
from satchel.ports import Page


class LinkStates(Protocol):
    """Everything that links rest on."""

    def get_many(self, claims: Sequence[Claims]) -> list[LinkState]:
        """Return what there is of each, in order, read at once.

        Of one it is the same request whatever it says, so that neither the answer nor its time tells what is there.
        """
        ...


class SharedLinks(Protocol):
    """The records of a person's shared links."""

    def add(self, link: SharedLink) -> None:
        """Write a new one; it goes by itself some time after its end."""
        ...

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[SharedLink]:
        """Return them, newest first, also such as open nothing any more."""
        ...

    def revoke(self, user: UserName, link_id: LinkId) -> bool:
        """Remove one; False where there is none."""
        ...

    def revoke_all(self, user: UserName) -> int:
        """Remove all that there are; return how many."""
        ...


class Signer(Protocol):
    """Makes tokens that nobody else can make."""

    def sign(self, claims: Claims | CanvasClaims | EraseClaims) -> str:
        """Return the token."""
        ...

    def verify(self, token: str, audiences: tuple[Audience, ...]) -> Claims | None:
        """Return what a valid token of a file for one of these audiences says; None for any other token."""
        ...

    def verify_confirmation(self, token: str) -> EraseClaims | None:
        """Return what a valid token of an erasure says; None for any other token."""
        ...
