"""Storage of the keys with which clients repeat requests."""

from datetime import datetime
from typing import NamedTuple, Protocol

from satchel.domain.ids import UserName


class KeyedRequest(NamedTuple):
    """A request with an idempotency key: the digests of both. The key's digest includes the operation."""

    user: UserName
    key: str
    content: str


class EarlierRequest(NamedTuple):
    """The request that used a key first: the digest of its content, and the id that it created (None: it runs)."""

    content: str
    resource: str | None


class RequestKeys(Protocol):
    """Stores idempotency keys for a day."""

    def claim(self, request: KeyedRequest, now: datetime) -> EarlierRequest | None:
        """Store the key and return None. If an earlier request has stored it, change nothing and return that one.

        A request that has not ended within a minute counts as interrupted: its key can be claimed again.
        """
        ...

    def finish(self, request: KeyedRequest, resource: str) -> None:
        """Store the id of what the request has created."""
        ...

    def release(self, request: KeyedRequest) -> None:
        """Forget the key of a request that has created nothing."""
        ...
