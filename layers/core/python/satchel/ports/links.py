"""Storage of shared links, the state that decides about a link's validity, and the signer of tokens."""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.ids import LinkId, UserName
from satchel.domain.links import Audience, CanvasClaims, Claims, EraseClaims, LinkState, SharedLink
from satchel.ports import Page


class LinkStates(Protocol):
    """The records that decide about the validity of links."""

    def get_many(self, claims: Sequence[Claims]) -> list[LinkState]:
        """Return the state of each link, in order, with one read.

        The read of a link has the same size if it is valid or not, so that the time reveals nothing.
        """
        ...


class SharedLinks(Protocol):
    """The records of users' shared links."""

    def add(self, link: SharedLink) -> None:
        """Add a record. It is deleted automatically some time after the link expires."""
        ...

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[SharedLink]:
        """Return the user's links, newest first, including invalid ones."""
        ...

    def revoke(self, user: UserName, link_id: LinkId) -> bool:
        """Remove a link's record. Return False if there is none."""
        ...

    def revoke_all(self, user: UserName) -> int:
        """Remove all records of the user. Return their number."""
        ...


class Signer(Protocol):
    """Signs and verifies tokens."""

    def sign(self, claims: Claims | CanvasClaims | EraseClaims) -> str:
        """Return a token with these claims."""
        ...

    def verify(self, token: str, audiences: tuple[Audience, ...]) -> Claims | None:
        """Return the claims of a valid download token for one of the audiences, or None."""
        ...

    def verify_confirmation(self, token: str) -> EraseClaims | None:
        """Return the claims of a valid erasure token, or None."""
        ...
