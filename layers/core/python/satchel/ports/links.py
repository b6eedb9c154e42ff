"""What is kept of links, and what they rest on."""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.capabilities import Claims
from satchel.domain.links import SharedLink, Standing
from satchel.ports.catalog import Page


class Standings(Protocol):
    """Everything that links rest on."""

    def look(self, claims: Sequence[Claims]) -> list[Standing]:
        """Return what there is of each, in order, read at once.

        Of one it is the same request whatever it says, so that neither the answer nor its time tells what is there.
        """
        ...


class SharedLinks(Protocol):
    """The records of a person's shared links."""

    def add(self, link: SharedLink) -> None:
        """Write a new one; it goes by itself some time after its end."""
        ...

    def list(self, user: str, limit: int, cursor: str | None) -> Page[SharedLink]:
        """Return them, newest first, also such as open nothing any more."""
        ...

    def revoke(self, user: str, link_id: str) -> bool:
        """Remove one; False where there is none."""
        ...

    def revoke_all(self, user: str) -> int:
        """Remove all that there are; return how many."""
        ...
