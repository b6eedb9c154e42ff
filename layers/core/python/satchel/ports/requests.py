"""Storage of the keys with which clients repeat requests."""

from datetime import datetime
from typing import NamedTuple, Protocol

from satchel.domain.ids import IdBody, UserName


class KeyedRequest(NamedTuple):
    """A request with an idempotency key: the digests of both. The key's digest includes the operation."""

    user: UserName
    key: str
    content: str


class EarlierRequest(NamedTuple):
    """The request that used a key first: the digest of its content, and the id that it created (None: it runs)."""

    content: str
    resource: str | None = None


class RequestKeys(Protocol):
    """Stores idempotency keys for a day."""

    def claim(self, request: KeyedRequest, id_body: IdBody, now: datetime) -> IdBody | EarlierRequest:
        """Store the key and return the id of what the request creates, without its first letter: ``id_body``.

        If an earlier request with this content was interrupted or failed, return the id of that one, because it may
        have created something with it. A request that has not ended within a minute counts as interrupted. If an
        earlier request runs or has succeeded, change nothing and return it.
        """
        ...

    def finish(self, request: KeyedRequest, resource: str) -> None:
        """Store the id of what the request has created."""
        ...

    def release(self, request: KeyedRequest) -> None:
        """Let the key of a failed request be claimed at once."""
        ...
