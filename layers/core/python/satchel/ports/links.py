"""Storage of shared links, and signers of tokens.

``SharedLinks`` stores the links to files that users share, ``ChatLinks`` those to conversations. ``LinkStates`` reads
the records that decide if a download link is valid. ``Signer`` signs the tokens of links and erasure confirmations.
``DashboardSigner`` signs those of dashboards.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from satchel.domain.chat_links import ChatLink
from satchel.domain.dashboard_tokens import DashboardClaims, PublicKey
from satchel.domain.ids import LinkId, UserName
from satchel.domain.links import Audience, Claims, EraseClaims, LinkState, SharedLink
from satchel.ports import Page


class LinkStates(Protocol):
    """Reads the records that decide whether download links are valid."""

    def get_many(self, claims: Sequence[Claims]) -> list[LinkState]:
        """Return the states of links, in order, with one read. Its duration does not reveal which links are valid."""
        ...


class SharedLinks(Protocol):
    """Stores the records of links that users share."""

    def add(self, link: SharedLink) -> None:
        """Add a link's record. The record is deleted automatically some time after the link expires."""
        ...

    def get(self, user: UserName, link_id: LinkId) -> SharedLink | None:
        """Return the user's link with this id, or None."""
        ...

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[SharedLink]:
        """Return the user's links, newest first, including invalid ones."""
        ...

    def revoke(self, user: UserName, link_id: LinkId) -> bool:
        """Remove a link's record. Return False if there is none."""
        ...

    def revoke_all(self, user: UserName) -> int:
        """Remove the records of all links of the user. Return the number of removed records."""
        ...


class ChatLinks(Protocol):
    """Stores the records of links to conversations."""

    def add(self, link: ChatLink) -> None:
        """Add a link's record. It is deleted automatically some time after the link expires. Raise ErasureRunning."""
        ...

    def get(self, user: UserName, link_id: LinkId) -> ChatLink | None:
        """Return the user's link with this id, or None."""
        ...

    def replace(self, old: ChatLink, new: ChatLink, now: datetime) -> None:
        """Store ``new``, the link ``old`` with another secret. The secret of ``old`` stops working.

        Raise RequestRunning if another request has changed or removed the link meanwhile, or ErasureRunning.
        """
        ...

    def find(self, token_digest: str) -> ChatLink | None:
        """Return the link whose secret has this digest, or None."""
        ...

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[ChatLink]:
        """Return the user's links, newest first, including invalid ones."""
        ...

    def remove(self, user: UserName, link_id: LinkId) -> None:
        """Remove a link's record, if it exists."""
        ...


class Signer(Protocol):
    """Signs and verifies the tokens of links and erasure confirmations, which only this deployment reads."""

    def sign(self, claims: Claims | EraseClaims) -> str:
        """Return a token with these claims."""
        ...

    def verify(self, token: str, audiences: tuple[Audience, ...]) -> Claims | None:
        """Return the claims of a valid download token for one of the audiences, or None."""
        ...

    def verify_confirmation(self, token: str) -> EraseClaims | None:
        """Return the claims of a valid erasure token, or None."""
        ...


class DashboardSigner(Protocol):
    """Signs the tokens of dashboards with a private key. Hosts of dashboards verify them with the public key."""

    def sign(self, claims: DashboardClaims) -> str:
        """Return a token with these claims."""
        ...

    def public_keys(self) -> list[PublicKey]:
        """Return the public keys that verify tokens. During a key rotation there are several."""
        ...
